'use strict';

const {spawn} = require('node:child_process');

/**
 * A language server in a process of its own, and the messages to and from it: JSON-RPC on its
 * standard streams. Knows nothing of an editor.
 */
class Client {
  /**
   * @param {string} program
   * @param {string[]} args
   * @param {string | undefined} folder its working directory
   * @param {{notified: (method: string, parameters: any) => void, logged: (text: string) => void,
   *          ended: (reason: string) => void}} listener `ended` is called once, unless stop() was
   */
  constructor(program, args, folder, listener) {
    this.listener = listener;
    this.waiting = new Map();
    this.lastId = 0;
    this.received = Buffer.alloc(0);
    this.isOver = false;
    this.process = spawn(program, args, {cwd: folder, stdio: 'pipe'});
    this.process.on('error', error => this.end(error.code === 'ENOENT' ? 'not found' : error.message));
    this.process.on('exit', (status, signal) => this.end(`ended with ${signal ?? `status ${status}`}`));
    this.process.stdin.on('error', () => {}); // Its end is told by 'exit'.
    this.process.stderr.setEncoding('utf8').on('data', text => this.listener.logged(text));
    this.process.stdout.on('data', bytes => this.take(bytes));
  }

  notify(method, parameters) {
    this.write({method, params: parameters});
  }

  /** The result; rejected with the server's error, or when the server ends. */
  request(method, parameters) {
    if (this.isOver)
      return Promise.reject(new Error('the server has ended'));
    const id = ++this.lastId;
    return new Promise((resolve, reject) => {
      this.waiting.set(id, {resolve, reject});
      this.write({id, method, params: parameters});
    });
  }

  /** Ends the server as the protocol wants it, and by force after a second. */
  async stop() {
    if (this.isOver)
      return;
    this.listener.ended = () => {};
    const gone = new Promise(resolve => this.process.once('exit', resolve));
    const force = setTimeout(() => this.process.kill('SIGKILL'), 1000);
    try {
      await this.request('shutdown', null);
      this.notify('exit', null);
    } catch {
      // It has ended by itself.
    }
    await gone;
    clearTimeout(force);
  }

  end(reason) {
    if (this.isOver)
      return;
    this.isOver = true;
    for (const {reject} of this.waiting.values())
      reject(new Error('the server has ended'));
    this.waiting.clear();
    this.listener.ended(reason);
  }

  write(message) {
    if (this.isOver)
      return;
    const body = Buffer.from(JSON.stringify({jsonrpc: '2.0', ...message}));
    this.process.stdin.write(`Content-Length: ${body.length}\r\n\r\n`);
    this.process.stdin.write(body);
  }

  take(bytes) {
    this.received = Buffer.concat([this.received, bytes]);
    for (;;) {
      const end = this.received.indexOf('\r\n\r\n');
      if (end < 0)
        return;
      const length = /^content-length: *(\d+)/im.exec(this.received.toString('latin1', 0, end));
      if (!length) {
        this.process.kill('SIGKILL');
        return this.end('sent what is no message');
      }
      const begin = end + 4, next = begin + Number(length[1]);
      if (this.received.length < next)
        return;
      const message = JSON.parse(this.received.toString('utf8', begin, next));
      this.received = this.received.subarray(next);
      this.dispatch(message);
    }
  }

  dispatch(message) {
    if (message.method === undefined) {
      const caller = this.waiting.get(message.id);
      this.waiting.delete(message.id);
      if (message.error)
        caller?.reject(new Error(message.error.message));
      else
        caller?.resolve(message.result);
    } else if (message.id === undefined) {
      this.listener.notified(message.method, message.params);
    } else if (message.method === 'window/workDoneProgress/create') {
      this.write({id: message.id, result: null});
    } else {
      this.write({id: message.id, error: {code: -32601, message: `unknown method ${message.method}`}});
    }
  }
}

module.exports = {Client};
