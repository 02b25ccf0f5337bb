// Class templates, of which some code makes classes and some does not.
#include <torch/torch.h>

namespace nn = torch::nn;

template <typename T> class Block : public nn::Module {
public:
  explicit Block(int64_t size);
  T forward(T x);
  nn::Linear layer{nullptr};
};
template <typename T>
Block<T>::Block(int64_t size) : layer(nn::LinearOptions(size, size)) {
  register_module("layer", layer);
}
template <typename T> T Block<T>::forward(T x) { return torch::relu(layer->forward(x)); }

// Members behind pointers.
template <typename T> class Written : public nn::Module {
public:
  Block<T> *first = new Block<T>(4); // expect: ml-unregistered-module (no fix): 'first' is used in forward()
  Block<T> *second;
  Block<T> *kept;
  nn::Linear layer{nullptr};
  nn::Linear forgotten{nullptr};
  Written();
  T forward(T x);
};
template <typename T>
Written<T>::Written() : layer(nn::LinearOptions(4, 4)), forgotten(nn::LinearOptions(4, 4)) { // expect: ml-unregistered-module: 'forgotten'
  second = new Block<T>(4); // expect: ml-unregistered-module (no fix): 'second' is used in forward()
  kept = new Block<T>(4);
  register_module("layer", layer);
  register_module("kept", std::shared_ptr<Block<T>>(kept));
}
template <typename T> T Written<T>::forward(T x) {
  x = forgotten->forward(layer->forward(x));
  x = kept->forward(x);
  return second->forward(first->forward(x));
}

template <typename T> class Made : public nn::Module {
public:
  Block<T> *first = new Block<T>(4); // expect: ml-unregistered-module (no fix): 'first' is used in forward()
  Block<T> *kept;
  nn::Linear layer{nullptr};
  Made() : kept(new Block<T>(4)), layer(nn::LinearOptions(4, 4)) {
    register_module("layer", layer);
    register_module("kept", std::shared_ptr<Block<T>>(kept));
  }
  T forward(T x) { return kept->forward(first->forward(layer->forward(x))); }
};
torch::Tensor make(torch::Tensor x) {
  Made<torch::Tensor> made;
  return made.forward(x);
}

// What is done in forward().
template <typename T> class Allocating : public nn::Module {
public:
  Allocating() : layer(nn::LinearOptions(4, 4)) { register_module("layer", layer); }
  T forward(T x) {
    x = (new Block<T>(4))->forward(x); // expect: ml-unregistered-module (no fix): made anew
    x = (new Block<T>(8))->forward(x);
    return layer->forward(x);
  }
  nn::Linear layer{nullptr};
};

// What depends on the arguments may be anything.
template <typename Layer> class Wrapper : public nn::Module {
public:
  explicit Wrapper(Layer layer) : layer(layer), other(make()) {}
  torch::Tensor forward(torch::Tensor x) { return other->forward(layer->forward(x)); }
  static auto make() { return Layer(4); }
  Layer layer;
  Layer other;
};

template <typename T> class Handing : public nn::Module {
public:
  Block<T> *block = new Block<T>(4);
  Handing() { adopt(block); }
  template <typename M> void adopt(M *module);
  T forward(T x) { return block->forward(x); }
};

template <typename T> class Passing : public nn::Module {
public:
  Block<T> *block = new Block<T>(4);
  Passing() { this->register_module("block", std::shared_ptr<Block<T>>(block)); }
  T forward(T x) { return block->forward(x); }
};

template <typename Base> class Mixin : public Base {
public:
  Block<torch::Tensor> *block = new Block<torch::Tensor>(4);
  torch::Tensor forward(torch::Tensor x) { return block->forward(x); }
};

// A derived template registers them.
template <typename T> class Base : public nn::Module {
public:
  Block<T> *block = new Block<T>(4);
  nn::Linear layer{nn::LinearOptions(4, 4)};
  T forward(T x) { return block->forward(layer->forward(x)); }
};
template <typename T> class Derived : public Base<T> {
public:
  Derived() {
    this->register_module("block", std::shared_ptr<Block<T>>(this->block));
    this->register_module("layer", this->layer);
  }
};
