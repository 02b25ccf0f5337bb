// Questions for the class of a module.
#include <torch/torch.h>

#include <map>
#include <memory>
#include <typeindex>
#include <typeinfo>

struct NetImpl : torch::nn::Module {
  torch::nn::Linear layer{4, 4};
};
TORCH_MODULE(Net);

// --- right ---------------------------------------------------------------------------------------

void of_the_class_ok(torch::nn::Module &m) {
  if (typeid(m) == typeid(torch::nn::LinearImpl))
    m.eval();
  if (auto *layer = dynamic_cast<torch::nn::LinearImpl *>(&m))
    layer->weight.zero_();
  if (auto *layer = m.as<torch::nn::Linear>())
    layer->weight.zero_();
}

bool held_ok(const torch::nn::AnyModule &any) {
  return any.type_info() == typeid(torch::nn::LinearImpl);
}

void of_pointers_ok(const std::shared_ptr<torch::nn::Module> &m) {
  if (auto layer = std::dynamic_pointer_cast<torch::nn::LinearImpl>(m))
    layer->weight.zero_();
}

template <typename Layer> bool of_types_ok() { return typeid(Layer) == typeid(torch::nn::Linear); }
bool linear() { return of_types_ok<torch::nn::Linear>(); }

bool of_holders_ok(torch::nn::Linear first) { return typeid(first) == typeid(torch::nn::Linear); }

struct Animal {
  virtual ~Animal() = default;
};
struct Dog : Animal {};
bool of_others_ok(Animal &animal) {
  return typeid(animal) == typeid(Dog) || dynamic_cast<Dog *>(&animal);
}

// --- wrong ---------------------------------------------------------------------------------------

void compared_bad(torch::nn::Module &m) {
  if (typeid(m) == typeid(torch::nn::Linear)) // expect: ml-holder-typeid: this comparison always has the same result
    m.eval();
}

void pointed_bad(torch::nn::Module *m) {
  if (m && typeid(*m) == typeid(torch::nn::Conv2d)) // expect: ml-holder-typeid: the class of the holder 'Conv2d'
    m->eval();
}

void children_bad(const Net &net) {
  for (auto &child : net->children())
    if (typeid(*child) == typeid(torch::nn::Linear)) // expect: ml-holder-typeid
      child->eval();
}

void other_way_round_bad(torch::nn::Module &m) {
  if (!(typeid(torch::nn::Linear) == typeid(m))) // expect: ml-holder-typeid
    m.eval();
}

void other_than_bad(torch::nn::Module &m) {
  if (typeid(m) != typeid(torch::nn::Linear)) // expect: ml-holder-typeid: always has the same result
    m.eval();
}

struct Kind {
  explicit Kind(torch::nn::Module &m) : isLinear(typeid(m) == typeid(torch::nn::Linear)) {} // expect: ml-holder-typeid (no fix)
  bool isLinear;
};

void own_class_bad(torch::nn::Module &m) {
  if (typeid(m) == typeid(Net)) // expect: ml-holder-typeid: ask for 'NetImpl'
    m.eval();
}

bool hashed_bad(const torch::nn::Module &m) {
  return typeid(m).hash_code() == typeid(torch::nn::Linear).hash_code(); // expect: ml-holder-typeid (no fix)
}

bool indexed_bad(const torch::nn::Module &m) {
  return std::type_index(typeid(m)) == std::type_index(typeid(torch::nn::Linear)); // expect: ml-holder-typeid (no fix)
}

bool kept_bad(const torch::nn::Module &m) {
  const std::type_info &wanted = typeid(torch::nn::Linear);
  return typeid(m) == wanted; // expect: ml-holder-typeid (no fix)
}

bool held_bad(const torch::nn::AnyModule &any) {
  return any.type_info() == typeid(torch::nn::Linear); // expect: ml-holder-typeid (no fix)
}

void cast_bad(torch::nn::Module &m) {
  if (auto *layer = dynamic_cast<torch::nn::Linear *>(&m)) // expect: ml-holder-typeid (no fix): this cast always gives null
    (*layer)->weight.zero_();
}

void asked_by_cast_bad(torch::nn::Module &m) {
  if (dynamic_cast<torch::nn::Linear *>(&m)) // expect: ml-holder-typeid
    m.eval();
}

void dereferenced_bad(torch::nn::Module &m) {
  (*dynamic_cast<torch::nn::Linear *>(&m))->weight.zero_(); // expect: ml-holder-typeid
}

void got_bad(const std::shared_ptr<torch::nn::Module> &m) {
  if (dynamic_cast<torch::nn::Linear *>(m.get())) // expect: ml-holder-typeid
    m->eval();
}

void referred_bad(torch::nn::Module &m) {
  auto &layer = dynamic_cast<torch::nn::Linear &>(m); // expect: ml-holder-typeid (no fix): this cast always throws
  layer->weight.zero_();
}

void shared_bad(const std::shared_ptr<torch::nn::Module> &m) {
  if (auto layer = std::dynamic_pointer_cast<torch::nn::Linear>(m)) // expect: ml-holder-typeid (no fix): always gives null
    (*layer)->weight.zero_();
}

template <typename Layer> void in_template_bad(torch::nn::Module &m) {
  if (typeid(m) == typeid(Layer)) // expect: ml-holder-typeid (no fix)
    m.eval();
}
void layers(torch::nn::Module &m) { in_template_bad<torch::nn::Linear>(m); }

void in_lambda_bad(Net net) {
  net->apply([](torch::nn::Module &m) {
    if (typeid(m) == typeid(torch::nn::Linear)) // expect: ml-holder-typeid
      m.eval();
  });
}

// --- keys ----------------------------------------------------------------------------------------

struct Rules {
  std::map<std::type_index, int> rules;
  void on(std::type_index type, int rule) { rules.insert_or_assign(type, rule); }
  int visit(const torch::nn::Module &m) const {
    const auto found = rules.find(typeid(m));
    return found == rules.end() ? 0 : found->second;
  }
};

void keyed_bad(Rules &rules) {
  rules.on(typeid(torch::nn::Embedding), 1); // expect: ml-holder-typeid (no fix) (level 1): never has this key; use 'EmbeddingImpl'
  rules.rules[typeid(torch::nn::Linear)] = 2; // expect: ml-holder-typeid (no fix) (level 1)
}

void keyed_ok(Rules &rules) { rules.on(typeid(torch::nn::EmbeddingImpl), 1); }
