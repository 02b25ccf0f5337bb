// Models that are read from files, and what runs them.
#include <torch/torch.h>

#if __has_include(<torch/script.h>)
#include <torch/script.h>
#endif

#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

using Images = std::vector<torch::Tensor>;
using Net = torch::nn::Linear;

torch::Tensor run(torch::jit::Module &model, const torch::Tensor &x) {
  return model.forward({x}).toTensor();
}

// --- right ---------------------------------------------------------------------------------------

void before_the_loop_ok(const Images &images) {
  auto model = torch::jit::load("model.pt");
  for (const auto &image : images)
    run(model, image).print();
}

void once_ok(const torch::Tensor &image) {
  auto model = torch::jit::load("model.pt");
  run(model, image).print();
}

void other_files_ok(const std::vector<std::string> &files, const torch::Tensor &image) {
  for (const auto &file : files) {
    auto model = torch::jit::load(file);
    run(model, image).print();
  }
  for (size_t i = 0; i < files.size(); ++i) {
    auto model = torch::jit::load(files[i]);
    run(model, image).print();
  }
}

void named_ok(const std::map<std::string, std::string> &files, const torch::Tensor &image) {
  for (const auto &[name, file] : files) {
    auto model = torch::jit::load(file);
    run(model, image).print();
  }
}

void each_epoch_ok(const torch::Tensor &image) {
  for (int epoch = 0; epoch < 10; ++epoch) {
    auto model = torch::jit::load("model-" + std::to_string(epoch) + ".pt");
    run(model, image).print();
  }
}

torch::jit::Module &kept_ok(const std::string &file) {
  static torch::jit::Module model = torch::jit::load(file);
  return model;
}

torch::jit::Module &made_once_ok(const std::string &file) {
  static torch::jit::Module model = [&] {
    auto loaded = torch::jit::load(file);
    loaded.eval();
    return loaded;
  }();
  return model;
}

void kept_in_a_function_ok(const Images &images) {
  for (const auto &image : images) {
    run(kept_ok("model.pt"), image).print();
    run(made_once_ok("model.pt"), image).print();
  }
}

void first_use_ok(const Images &images) {
  std::optional<torch::jit::Module> model;
  for (const auto &image : images) {
    if (!model)
      model = torch::jit::load("model.pt");
    run(*model, image).print();
  }
}

class Lazy {
public:
  torch::Tensor operator()(const torch::Tensor &x) {
    if (!loaded) {
      model = torch::jit::load("model.pt");
      loaded = true;
    }
    return run(model, x);
  }

private:
  torch::jit::Module model;
  bool loaded = false;
};

class Once {
public:
  torch::Tensor operator()(const torch::Tensor &x) {
    std::call_once(flag, [this] { model = torch::jit::load("model.pt"); });
    return run(model, x);
  }

private:
  torch::jit::Module model;
  std::once_flag flag;
};

void lazy_ok(const Images &images) {
  Lazy lazy;
  Once once;
  for (const auto &image : images) {
    lazy(image).print();
    once(image).print();
  }
}

class Cache {
public:
  torch::jit::Module &get(const std::string &file) {
    auto known = models.find(file);
    if (known != models.end())
      return known->second;
    return models[file] = torch::jit::load(file);
  }

private:
  std::map<std::string, torch::jit::Module> models;
};

void cached_ok(const Images &images) {
  Cache cache;
  for (const auto &image : images)
    run(cache.get("model.pt"), image).print();
}

void early_return_ok(const Images &images) {
  static std::optional<torch::jit::Module> model;
  auto get = [&]() -> torch::jit::Module & {
    if (model)
      return *model;
    model = torch::jit::load("model.pt");
    return *model;
  };
  for (const auto &image : images)
    run(get(), image).print();
}

void many_batches_ok(const std::vector<Images> &sets) {
  for (const auto &images : sets) {
    auto model = torch::jit::load("model.pt");
    for (const auto &image : images)
      run(model, image).print();
  }
}

void trained_again_ok(Net net, const Images &images) {
  for (int trial = 0; trial < 5; ++trial) {
    torch::load(net, "start.pt");
    torch::optim::SGD optimizer(net->parameters(), 0.1);
    auto loss = net->forward(images[0]).mean();
    optimizer.zero_grad();
    loss.backward();
    optimizer.step();
  }
}

void exchanged_ok(Net net, Net copy, const Images &images) {
  for (const auto &image : images) {
    torch::save(net, "exchange.pt");
    torch::load(copy, "exchange.pt");
    copy->forward(image).print();
  }
}

void resumed_ok(Net net, const Images &images) {
  torch::load(net, "start.pt");
  for (const auto &image : images)
    net->forward(image).print();
}

void read_names_ok(std::istream &names, const torch::Tensor &image) {
  std::string name;
  while (names >> name) {
    auto model = torch::jit::load(name);
    run(model, image).print();
  }
}

// --- wrong ---------------------------------------------------------------------------------------

void in_the_loop_bad(const Images &images) {
  for (const auto &image : images) { // note: the loop is here
    auto model = torch::jit::load("model.pt"); // expect: ml-reload-in-loop: is loaded from the same file in each iteration
    model.eval();
    model.forward({image}).toTensor().print(); // note: the model is used here
  }
}

torch::Tensor classify(const std::string &file, const torch::Tensor &image) {
  torch::NoGradGuard guard;
  torch::jit::Module model = torch::jit::load(file); // expect: ml-reload-in-loop
  model.eval();
  model.to(torch::kCUDA);
  std::vector<torch::jit::IValue> inputs;
  inputs.push_back(image.to(torch::kCUDA));
  return model.forward(inputs).toTensor().cpu(); // note: the model is used here
}

void in_a_function_bad(const std::string &file) {
  for (int i = 0; i < 100; ++i) // note: the loop is here
    classify(file, torch::rand({3, 8, 8})).print();
}

void module_bad(const Images &images, const std::string &file) {
  for (const auto &image : images) { // note: the loop is here
    Net net(4, 4);
    torch::load(net, file); // expect: ml-reload-in-loop
    net->eval();
    net->forward(image).print(); // note: the model is used here
  }
}

class Detector {
public:
  explicit Detector(const std::string &file) : file(file) {}
  torch::Tensor detect(const torch::Tensor &x) {
    auto model = torch::jit::load(file); // expect: ml-reload-in-loop
    return model.forward({x}).toTensor(); // note: the model is used here
  }

private:
  std::string file;
};

void member_bad(const Images &images, char **arguments) {
  Detector detector(arguments[1]);
  for (const auto &image : images) // note: the loop is here
    detector.detect(image).print();
}

struct Settings {
  std::string file;
  int count = 3;
};

torch::Tensor classify_by(const Settings &settings, const torch::Tensor &x) {
  auto model = torch::jit::load(settings.file); // expect: ml-reload-in-loop
  return model.forward({x}).toTensor(); // note: the model is used here
}

void settings_bad(char **arguments) {
  Settings settings;
  settings.file = arguments[1];
  for (int i = 0; i < settings.count; ++i) // note: the loop is here
    classify_by(settings, torch::rand({4})).print();
}

void settings_ok(Settings settings, const std::vector<std::string> &files) {
  for (const auto &file : files) {
    settings.file = file;
    auto model = torch::jit::load(settings.file);
    model.forward({torch::rand({4})}).toTensor().print();
  }
}

class Loaded {
public:
  explicit Loaded(const std::string &file) {
    model = torch::jit::load(file); // expect: ml-reload-in-loop
    model.eval();
  }
  torch::Tensor operator()(const torch::Tensor &x) {
    return model.forward({x}).toTensor(); // note: the model is used here
  }

private:
  torch::jit::Module model;
};

void made_in_the_loop_bad(const Images &images) {
  for (const auto &image : images) { // note: the loop is here
    Loaded model("model.pt");
    model(image).print();
  }
}

torch::jit::Module loaded(const std::string &file) {
  auto model = torch::jit::load(file); // expect: ml-reload-in-loop
  model.eval();
  return model;
}

void by_helper_bad(const Images &images) {
  const std::string folder = "models/";
  for (const auto &image : images) { // note: the loop is here
    auto model = loaded(folder + "model.pt");
    model.forward({image}).toTensor().print(); // note: the model is used here
  }
}

void served_bad(const std::function<bool(torch::Tensor &)> &next) {
  torch::Tensor request;
  while (true) { // note: the loop is here
    if (!next(request))
      break;
    auto model = torch::jit::load("model.pt"); // expect: ml-reload-in-loop
    model.forward({request}).toTensor().print(); // note: the model is used here
  }
}

void in_lambda_bad(const Images &images) {
  auto predict = [](const torch::Tensor &x) {
    auto model = torch::jit::load("model.pt"); // expect: ml-reload-in-loop
    return model.forward({x}).toTensor(); // note: the model is used here
  };
  for (const auto &image : images) // note: the loop is here
    predict(image).print();
}

// A round that is left out needs no model either.
void skipped_bad(const Images &images) {
  for (const auto &image : images) { // note: the loop is here
    if (!image.defined())
      continue;
    auto model = torch::jit::load("model.pt"); // expect: ml-reload-in-loop
    model.forward({image}).toTensor().print(); // note: the model is used here
  }
}
