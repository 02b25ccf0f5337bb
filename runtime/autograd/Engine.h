// Engine: what runs backward, as far as programs talk to it.
#pragma once

#include <functional>

namespace gradtidy::runtime::autograd {

class Engine {
public:
  static Engine &get_default_engine();
  /// Calls `callback` when the backward that this thread runs is done; throws where it runs none.
  /// A backward within another one is part of that.
  void queue_callback(std::function<void()> callback);
};

} // namespace gradtidy::runtime::autograd
