// Members that forward() uses: which of them must be registered, and which are.
#include <torch/torch.h>

namespace nn = torch::nn;
using torch::Tensor;

struct DropoutBadImpl : nn::Module {
  DropoutBadImpl(double p) {
    fc = register_module("fc", nn::Linear(4, 4));
    dropout = nn::Dropout(p);
  }
  Tensor forward(Tensor x) { return dropout(fc(x)); }
  nn::Linear fc{nullptr};
  nn::Dropout dropout{nullptr}; // expect: ml-unregistered-module: submodule 'dropout' is used in forward() but never registered: parameters(), to() and eval() do not reach it
};
TORCH_MODULE(DropoutBad);

struct InitialisersBad : nn::Module {
  InitialisersBad() : first(4, 8), second(nn::Linear(8, 2)) {}
  Tensor forward(Tensor x) { return second->forward(first->forward(x)); }
  nn::Linear first;  // expect: ml-unregistered-module: 'first'
  nn::Linear second; // expect: ml-unregistered-module: 'second'
};

struct DefaultInitialisersBad : nn::Module {
  DefaultInitialisersBad() {}
  Tensor forward(Tensor x) { return drop(fc(x)); }
  nn::Dropout drop{0.5}; // expect: ml-unregistered-module: 'drop'
  nn::Linear fc = nn::Linear(4, 4); // expect: ml-unregistered-module: 'fc'
};

struct SharedPointerBad : nn::Module {
  SharedPointerBad() : fc(std::make_shared<nn::LinearImpl>(4, 4)) {}
  Tensor forward(Tensor x) { return fc->forward(x); }
  std::shared_ptr<nn::LinearImpl> fc; // expect: ml-unregistered-module: 'fc'
};

// A module by value cannot be registered at all.
struct ByValueBad : nn::Module {
  ByValueBad() : fc(4, 4) {}
  Tensor forward(Tensor x) { return fc.forward(x); }
  nn::LinearImpl fc; // expect: ml-unregistered-module (no fix)
};

struct SeveralConstructorsBad : nn::Module {
  SeveralConstructorsBad() : SeveralConstructorsBad(4) {}
  SeveralConstructorsBad(int64_t n) { fc = nn::Linear(n, n); }
  Tensor forward(Tensor x) { return fc(x); }
  nn::Linear fc{nullptr}; // expect: ml-unregistered-module
};

// A class of the user that has parameters.
struct NestedBad : nn::Module {
  NestedBad() : block(DropoutBad(0.1)) {}
  Tensor forward(Tensor x) { return block(x); }
  DropoutBad block; // expect: ml-unregistered-module
};

// Used by what forward() calls.
struct HelperBad : nn::Module {
  HelperBad() { fc = nn::Linear(4, 4); }
  Tensor forward(Tensor x) { return encode(x); }
  Tensor encode(Tensor x) { return this->fc->forward(x); }
  nn::Linear fc{nullptr}; // expect: ml-unregistered-module
};

// Without a forward(), all that makes tensors of tensors counts.
struct EncodeDecodeBad : nn::Module {
  EncodeDecodeBad() {
    encoder = register_module("encoder", nn::Linear(4, 2));
    decoder = nn::Linear(2, 4);
  }
  Tensor encode(Tensor x) { return encoder(x); }
  Tensor decode(Tensor x) { return decoder(x); }
  nn::Linear encoder{nullptr};
  nn::Linear decoder{nullptr}; // expect: ml-unregistered-module: 'decoder'
};

struct Registered : nn::Module {
  Registered() : second(register_module("second", nn::Linear(4, 4))) {
    first = register_module("first", nn::Linear(4, 4));
    fourth = nn::Linear(4, 4);
    register_module("another name", fourth);
    auto made = nn::Dropout(0.5);
    register_module("fifth", made);
    fifth = made;
    sixth = std::make_shared<nn::LinearImpl>(4, 4);
    this->register_module("sixth", this->sixth);
  }
  Tensor forward(Tensor x) {
    return fifth(fourth(third(second(first(sixth->forward(x))))));
  }
  nn::Linear first{nullptr}, second;
  nn::Linear third = register_module("third", nn::Linear(4, 4));
  nn::Linear fourth{nullptr};
  nn::Dropout fifth{nullptr};
  std::shared_ptr<nn::LinearImpl> sixth;
};

struct RegisteredInMethod : nn::Module {
  RegisteredInMethod() { build(); }
  void build() {
    fc = nn::Linear(4, 4);
    register_module("fc", fc);
  }
  Tensor forward(Tensor x) { return fc(x); }
  nn::Linear fc{nullptr};
};

struct RegisteredByFunction : nn::Module {
  RegisteredByFunction() {
    fc = nn::Linear(4, 4);
    add("fc", fc);
  }
  template <typename Module> void add(const std::string &name, Module module) {
    register_module(name, module);
  }
  Tensor forward(Tensor x) { return fc(x); }
  nn::Linear fc{nullptr};
};

// Made and registered by methods, which return it.
struct RegisteredResults : nn::Module {
  RegisteredResults() : forgotten(make(2)) {
    first = add("first", nn::Linear(2, 2));
    second = wrap("second", nn::Linear(2, 2));
    auto made = local(2);
    third = made;
    several.push_back(add("fourth", nn::Linear(2, 2)));
  }
  nn::Linear add(std::string name, nn::Linear module) { return register_module(name, module); }
  template <typename Module> Module wrap(std::string name, Module module) {
    register_module(name, module);
    return module;
  }
  nn::Linear local(int size) {
    nn::Linear module(size, size);
    register_module("local", module);
    return module;
  }
  nn::Linear make(int size) { return nn::Linear(size, size); }
  Tensor forward(Tensor x) { return forgotten(several[0](third(second(first(x))))); }
  nn::Linear first{nullptr}, second{nullptr}, third{nullptr};
  std::vector<nn::Linear> several;
  nn::Linear forgotten; // expect: ml-unregistered-module: 'forgotten'
};

void adopt(nn::Module &owner, nn::Linear &module);
struct PassedToUnseenFunction : nn::Module {
  PassedToUnseenFunction() {
    fc = nn::Linear(4, 4);
    adopt(*this, fc);
  }
  Tensor forward(Tensor x) { return fc(x); }
  nn::Linear fc{nullptr};
};

// A function that is given nothing else has nothing to register it with.
void initialise(nn::Linear &module, double gain);
struct Registry {
  nn::Module *owner;
  void take(nn::Linear &module);
};
void take(nn::Linear &module, Registry &registry);
struct LentBad : nn::Module {
  LentBad(Registry &registry) : fc(4, 4), second(4, 4), third(4, 4) {
    initialise(fc, 0.5);
    take(second, registry);
    registry.take(third);
  }
  Tensor forward(Tensor x) { return third(second(fc(x))); }
  nn::Linear fc; // expect: ml-unregistered-module: 'fc'
  nn::Linear second, third;
};

struct Base : nn::Module {
  nn::Linear fc{nullptr};
};
struct RegisteredInDerived : Base {
  RegisteredInDerived() { fc = register_module("fc", nn::Linear(4, 4)); }
  Tensor forward(Tensor x) { return fc(x); }
};

struct ForgottenBase : nn::Module {
  nn::Linear fc{nullptr};
};
struct ForgottenInDerived : ForgottenBase {
  ForgottenInDerived() { fc = nn::Linear(4, 4); } // expect: ml-unregistered-module (no fix)
  Tensor forward(Tensor x) { return fc(x); }
};

struct Stateless : nn::Module {
  Stateless() : relu(nn::ReLUOptions().inplace(true)) {}
  Tensor forward(Tensor x) { return flatten(relu(x)); }
  double loss(Tensor x, Tensor y) { return mse(x, y).item<double>(); }
  nn::ReLU relu;
  nn::Flatten flatten;
  nn::MSELoss mse;
};

struct Activation : nn::Module {
  Tensor forward(Tensor x) { return torch::relu(x); }
};
struct StatelessOfUser : nn::Module {
  StatelessOfUser() : activation(std::make_shared<Activation>()) {}
  Tensor forward(Tensor x) { return activation->forward(x); }
  std::shared_ptr<Activation> activation;
};

struct NotUsed : nn::Module {
  NotUsed() { fc = nn::Linear(4, 4); }
  Tensor forward(Tensor x) { return x; }
  nn::Linear fc{nullptr};
};

// Other translation units may register what is declared here.
struct ConstructorElsewhere : nn::Module {
  ConstructorElsewhere();
  Tensor forward(Tensor x) { return fc(x); }
  nn::Linear fc{nullptr};
};
struct MethodElsewhere : nn::Module {
  MethodElsewhere() {
    fc = nn::Linear(4, 4);
    finish();
  }
  void finish();
  Tensor forward(Tensor x) { return fc(x); }
  nn::Linear fc{nullptr};
};

// No module: nothing to register with.
struct Plain {
  Tensor forward(Tensor x) { return fc(x); }
  nn::Linear fc{4, 4};
};

// Nobody sees the holder call the constructor of the template, nor forward().
template <typename Block> struct StackImpl : nn::Module {
  explicit StackImpl(int64_t size);
  Tensor forward(Tensor x);
  nn::Linear first;
  nn::Linear last{nullptr};
  Block block, unregisteredBlock;
};
template <typename Block>
StackImpl<Block>::StackImpl(int64_t size) : first(size, size), block(4), unregisteredBlock(4) {
  register_module("first", first);
  register_module("block", block);
  last = nn::Linear(size, 2); // expect: ml-unregistered-module (no fix)
}
template <typename Block> Tensor StackImpl<Block>::forward(Tensor x) {
  return last(unregisteredBlock(block(first(x))));
}
template <typename Block = DropoutBad> class Stack : public nn::ModuleHolder<StackImpl<Block>> {
public:
  using nn::ModuleHolder<StackImpl<Block>>::ModuleHolder;
};
Tensor useStack(Tensor x) {
  Stack<> stack(4);
  return stack->forward(x);
}

// Saved by hand: parameters() and to() miss it all the same.
struct SavedByHandImpl : torch::nn::Module {
  torch::Tensor forward(torch::Tensor x) { return second(torch::relu(first(x))); }
  void save(const std::string &folder) {
    torch::save(first, folder + "/first.pt");
    torch::save(second, folder + "/second.pt");
  }
  torch::nn::Linear first{2, 2}; // expect: ml-unregistered-module (no fix)
  torch::nn::Linear second = register_module("second", torch::nn::Linear(2, 2));
};
TORCH_MODULE(SavedByHand);
