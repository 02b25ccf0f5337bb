// DataLoader: batches of a dataset in the order of a sampler, made ahead by worker threads.
//
// begin() starts an epoch. With workers, batches come in the order in which they were asked for,
// unless that is switched off; what a worker throws comes out of the iterator as a
// WorkerException. One loader has one iterator at a time.
#pragma once

#include "../nn/Module.h"
#include "Datasets.h"
#include "Samplers.h"

#include <chrono>
#include <condition_variable>
#include <deque>
#include <exception>
#include <iterator>
#include <map>
#include <mutex>
#include <thread>

namespace gradtidy::runtime::data {

struct DataLoaderOptions {
  DataLoaderOptions() = default;
  DataLoaderOptions(std::size_t batch_size) : batch_size_(batch_size) {}

  TORCH_ARG(std::size_t, batch_size) = 1;
  /// Threads; none means that the loop makes its batches itself.
  TORCH_ARG(std::size_t, workers) = 0;
  /// Batches asked for ahead; twice the workers unless set.
  TORCH_ARG(optional<std::size_t>, max_jobs) = nullopt;
  /// How long to wait for a batch.
  TORCH_ARG(optional<std::chrono::milliseconds>, timeout) = nullopt;
  TORCH_ARG(bool, enforce_ordering) = true;
  /// Leaves out a last batch that is not full.
  TORCH_ARG(bool, drop_last) = false;
};

struct FullDataLoaderOptions {
  explicit FullDataLoaderOptions(const DataLoaderOptions &options)
      : batch_size(options.batch_size()), workers(options.workers()),
        max_jobs(options.max_jobs().value_or(2 * workers)), timeout(options.timeout()),
        enforce_ordering(options.enforce_ordering()), drop_last(options.drop_last()) {}

  std::size_t batch_size, workers, max_jobs;
  optional<std::chrono::milliseconds> timeout;
  bool enforce_ordering, drop_last;
};

/// Tells that a worker threw, and what.
struct WorkerException : std::exception {
  explicit WorkerException(std::exception_ptr original) : original_exception(std::move(original)) {
    try {
      std::rethrow_exception(original_exception);
    } catch (const std::exception &error) {
      message = std::string("Caught Exception in DataLoader worker thread. Original message: ") +
                error.what();
    } catch (...) {
      message = "Caught Exception in DataLoader worker thread.";
    }
  }
  const char *what() const noexcept override { return message.c_str(); }

  std::string message;
  std::exception_ptr original_exception;
};

/// Walks through the batches of one epoch; the first is made when it is first looked at.
template <class Batch> class Iterator {
public:
  using difference_type = std::ptrdiff_t;
  using value_type = Batch;
  using pointer = Batch *;
  using reference = Batch &;
  using iterator_category = std::input_iterator_tag;

  /// The end.
  Iterator() = default;
  explicit Iterator(std::function<optional<Batch>()> next)
      : state(std::make_shared<State>(State{std::move(next), nullopt, false})) {}

  Iterator &operator++() {
    TORCH_CHECK(state, "Incrementing the DataLoader's past-the-end iterator is not allowed");
    TORCH_CHECK(current(), "Attempted to increment iterator past the end");
    state->batch = state->next();
    return *this;
  }
  Batch &operator*() const {
    TORCH_CHECK(state, "Dereferencing the DataLoader's past-the-end iterator is not allowed");
    TORCH_CHECK(current(), "Attempted to dereference iterator that was past the end");
    return *state->batch;
  }
  Batch *operator->() const { return &**this; }
  bool operator==(const Iterator &other) const {
    bool here = state && current(), there = other.state && other.current();
    return here && there ? state == other.state : here == there;
  }

private:
  struct State {
    std::function<optional<Batch>()> next;
    optional<Batch> batch;
    bool started;
  };
  bool current() const {
    if (!state->started) {
      state->batch = state->next();
      state->started = true;
    }
    return state->batch.has_value();
  }

  std::shared_ptr<State> state;
};

/// The part that does not know where requests come from.
template <class Dataset, class Batch, class BatchRequest> class DataLoaderBase {
public:
  using BatchType = Batch;
  using BatchRequestType = BatchRequest;

  explicit DataLoaderBase(const DataLoaderOptions &options) : options_(options) {}
  DataLoaderBase(const DataLoaderBase &) = delete;
  DataLoaderBase &operator=(const DataLoaderBase &) = delete;
  virtual ~DataLoaderBase() { join(); }

  Iterator<Batch> begin() {
    {
      std::unique_lock lock(mutex);
      TORCH_CHECK(asked == delivered, "Attempted to get a new DataLoader iterator while another "
                                      "iterator is not yet exhausted");
    }
    reset();
    return Iterator<Batch>([this] { return next(); });
  }
  Iterator<Batch> end() { return {}; }

  /// Stops the workers; also done at the end of the loader's life.
  void join() {
    {
      std::unique_lock lock(mutex);
      jobs.clear();
      quitting = true;
    }
    changed.notify_all();
    for (std::thread &worker : workers)
      worker.join();
    workers.clear();
  }
  const FullDataLoaderOptions &options() const noexcept { return options_; }

protected:
  virtual optional<BatchRequest> get_batch_request() = 0;
  virtual void reset() {
    std::unique_lock lock(mutex);
    results.clear();
    asked = delivered = 0;
    for (std::size_t i = 0; i < options_.max_jobs && ask(); ++i) {
    }
  }
  /// Starts a worker on `dataset`, which must outlive it.
  template <class Owner> void startWorker(Owner dataset) {
    workers.emplace_back([this, dataset = std::move(dataset)] { work(*dataset); });
  }

  const FullDataLoaderOptions options_;
  /// The dataset of the loop's own thread, or of all workers if it is stateful.
  std::shared_ptr<Dataset> ownDataset;

private:
  struct Job {
    std::size_t number;
    BatchRequest request;
  };
  struct Result {
    optional<Batch> batch;
    std::exception_ptr exception;
  };

  /// A request as it goes to a dataset; only those by index need to be seen as an array.
  static decltype(auto) passed(BatchRequest &request) {
    return typename Dataset::BatchRequestType(request);
  }

  /// Asks for one more batch, if there is one; the lock is held.
  bool ask() {
    optional<BatchRequest> request = get_batch_request();
    if (!request)
      return false;
    jobs.push_back({asked++, std::move(*request)});
    changed.notify_all();
    return true;
  }

  optional<Batch> next() {
    if (options_.workers == 0) {
      optional<BatchRequest> request = get_batch_request();
      if (!request)
        return nullopt;
      return ownDataset->get_batch(passed(*request));
    }
    std::unique_lock lock(mutex);
    while (delivered < asked) {
      Result result = takeResult(lock);
      ++delivered;
      if (result.exception)
        throw WorkerException(result.exception);
      if (result.batch) {
        ask();
        return std::move(result.batch);
      }
    }
    return nullopt;
  }

  Result takeResult(std::unique_lock<std::mutex> &lock) {
    auto ready = [this] {
      return !results.empty() &&
             (!options_.enforce_ordering || results.begin()->first == delivered);
    };
    if (!options_.timeout)
      changed.wait(lock, ready);
    else
      TORCH_CHECK(changed.wait_for(lock, *options_.timeout, ready),
                  "Timeout in DataLoader queue while waiting for next batch (timeout was ",
                  options_.timeout->count(), " ms)");
    Result result = std::move(results.begin()->second);
    results.erase(results.begin());
    return result;
  }

  void work(Dataset &dataset) {
    std::unique_lock lock(mutex);
    while (true) {
      changed.wait(lock, [this] { return quitting || !jobs.empty(); });
      if (quitting)
        return;
      Job job = std::move(jobs.front());
      jobs.pop_front();
      lock.unlock();
      Result result;
      try {
        result.batch = dataset.get_batch(passed(job.request));
      } catch (...) {
        result.exception = std::current_exception();
      }
      lock.lock();
      results[job.number] = std::move(result);
      changed.notify_all();
    }
  }

  std::mutex mutex;
  std::condition_variable changed;
  std::deque<Job> jobs;
  std::map<std::size_t, Result> results;
  std::size_t asked = 0, delivered = 0;
  bool quitting = false;
  std::vector<std::thread> workers;
};

/// Over a dataset that answers requests by index: each worker has a copy.
template <class Dataset, class Sampler>
class StatelessDataLoader : public DataLoaderBase<Dataset, typename Dataset::BatchType,
                                                  typename Sampler::BatchRequestType> {
public:
  using Base =
      DataLoaderBase<Dataset, typename Dataset::BatchType, typename Sampler::BatchRequestType>;

  StatelessDataLoader(Dataset dataset, Sampler sampler, const DataLoaderOptions &options)
      : Base(options), sampler(std::move(sampler)) {
    for (std::size_t i = 0; i < options.workers(); ++i)
      this->startWorker(std::make_shared<Dataset>(dataset));
    if (options.workers() == 0)
      this->ownDataset = std::make_shared<Dataset>(std::move(dataset));
  }
  ~StatelessDataLoader() override { this->join(); }

private:
  void reset() override {
    sampler.reset();
    Base::reset();
  }
  optional<typename Sampler::BatchRequestType> get_batch_request() override {
    auto request = sampler.next(this->options_.batch_size);
    if constexpr (requires { request->size(); })
      if (request && this->options_.drop_last && request->size() < this->options_.batch_size)
        return nullopt;
    return request;
  }

  Sampler sampler;
};

/// Over a dataset that keeps its own place and ends with nullopt: all workers share it.
template <class Dataset>
class StatefulDataLoader : public DataLoaderBase<Dataset, typename Dataset::BatchType::value_type,
                                                 typename Dataset::BatchRequestType> {
public:
  using Base = DataLoaderBase<Dataset, typename Dataset::BatchType::value_type,
                              typename Dataset::BatchRequestType>;

  StatefulDataLoader(Dataset dataset, const DataLoaderOptions &options) : Base(options) {
    this->ownDataset = std::make_shared<Dataset>(std::move(dataset));
    for (std::size_t i = 0; i < options.workers(); ++i)
      this->startWorker(this->ownDataset);
  }
  ~StatefulDataLoader() override { this->join(); }

private:
  void reset() override {
    this->ownDataset->reset();
    Base::reset();
  }
  optional<typename Dataset::BatchRequestType> get_batch_request() override {
    return this->options_.batch_size;
  }
};

template <class Dataset, class Sampler>
std::unique_ptr<StatelessDataLoader<Dataset, Sampler>>
make_data_loader(Dataset dataset, Sampler sampler, DataLoaderOptions options)
  requires(!Dataset::is_stateful)
{
  return std::make_unique<StatelessDataLoader<Dataset, Sampler>>(std::move(dataset),
                                                                 std::move(sampler), options);
}

template <class Sampler = samplers::RandomSampler, class Dataset>
std::unique_ptr<StatelessDataLoader<Dataset, Sampler>>
make_data_loader(Dataset dataset, DataLoaderOptions options = DataLoaderOptions())
  requires(!Dataset::is_stateful && std::is_constructible_v<Sampler, std::size_t>)
{
  optional<std::size_t> size = dataset.size();
  TORCH_CHECK(size, "Expected the dataset to be sized in order to construct the Sampler");
  return make_data_loader(std::move(dataset), Sampler(*size), options);
}

template <class Dataset>
std::unique_ptr<StatefulDataLoader<Dataset>>
make_data_loader(Dataset dataset, DataLoaderOptions options = DataLoaderOptions())
  requires(Dataset::is_stateful)
{
  return std::make_unique<StatefulDataLoader<Dataset>>(std::move(dataset), options);
}

} // namespace gradtidy::runtime::data
