// Losses of values without a gradient.
#include <torch/torch.h>

#include <vector>

using Net = torch::nn::Linear;
using torch::Tensor;

static void train(torch::optim::Optimizer &optimizer, const Tensor &loss) {
  optimizer.zero_grad();
  loss.backward(); // note: the backward is here
  optimizer.step();
}

// --- right ---------------------------------------------------------------------------------------

void metric_ok(Net net, Tensor x, Tensor y) {
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  auto scores = net(x);
  auto loss = torch::cross_entropy_loss(scores, y);
  auto correct = scores.argmax(1).eq(y).sum().item<int64_t>();
  auto rounded = scores.round();
  train(optimizer, loss);
  std::cout << correct << rounded;
}

void mask_ok(Net net, Tensor x, Tensor y) {
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  auto out = net(x);
  auto error = (out - y).pow(2);
  train(optimizer, (error * (out > 0).to(torch::kFloat)).mean());
}

void chosen_ok(Net net, Tensor x) {
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  auto out = net(x);
  auto best = out.argmax(1, true);
  train(optimizer, -out.gather(1, best).mean());
  train(optimizer, torch::where(out > 0, out, torch::zeros_like(out)).sum());
}

void straight_through_ok(Net net, Net decoder, Tensor x) {
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  auto code = net(x);
  auto hard = code + (code.round() - code).detach();
  train(optimizer, torch::mse_loss(decoder(hard), x));
  auto soft = code.softmax(1);
  auto onehot = torch::one_hot(soft.argmax(1), 4).to(torch::kFloat);
  auto sample = onehot - soft.detach() + soft;
  train(optimizer, torch::mse_loss(decoder(sample), x));
}

void pseudo_labels_ok(Net teacher, Net student, Tensor x) {
  torch::optim::SGD optimizer(student->parameters(), 0.1);
  auto labels = teacher(x).argmax(1);
  train(optimizer, torch::cross_entropy_loss(student(x), labels));
  auto hard = (teacher(x) > 0).to(torch::kFloat);
  train(optimizer, torch::mse_loss(student(x), hard));
}

void bellman_ok(Net policy, Net target, Tensor x, double reward) {
  torch::optim::SGD optimizer(policy->parameters(), 0.1);
  auto value = policy(x).max();
  auto error = reward + 0.99 * target(x).max().item<double>() - value;
  train(optimizer, error.pow(2));
  auto expected = torch::tensor(reward + 0.99 * target(x).max().item<double>());
  train(optimizer, (expected - value).pow(2));
  train(optimizer, torch::mse_loss(value, expected));
}

void weighted_by_number_ok(Net net, Tensor x) {
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  auto out = net(x);
  auto scale = out.abs().max().item<float>();
  train(optimizer, out.pow(2).mean() / scale + 1e-3);
  train(optimizer, out.pow(2).mean() * (1 / scale));
}

void counted_labels_ok(Net net, Tensor x, Tensor y) {
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  auto targets = torch::zeros({8, 4});
  auto count = targets.sum().item<float>();
  train(optimizer, torch::mse_loss(net(x), targets) + count);
  train(optimizer, torch::mse_loss(net(x), targets) + torch::tensor(count));
}

void normalized_ok(Net net, Tensor x) {
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  auto out = net(x);
  auto shifted = out - out.max().item<float>();
  train(optimizer, shifted.exp().sum().log());
}

void quantized_input_ok(Net net, Net encoder) {
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  auto code = encoder(torch::rand({8, 4})).round();
  train(optimizer, net(code).pow(2).mean());
}

void attack_ok(Net net, Tensor x, Tensor y) {
  auto image = (x * 255).round().requires_grad_();
  torch::mse_loss(net(image), y).backward();
  auto noise = image.grad().sign();
}

void quantized_leaf_ok(Tensor x) {
  auto image = x.round().requires_grad_();
  image.pow(2).sum().backward();
}

void sampled_ok(Net net, Tensor x, Tensor reward) {
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  auto logits = net(x).log_softmax(1);
  auto action = logits.exp().multinomial(1);
  train(optimizer, -(logits.gather(1, action) * reward).mean());
}

void either_ok(Net net, Tensor x, Tensor y, bool isHard) {
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  auto out = net(x);
  Tensor loss = torch::mse_loss(out, y);
  if (isHard)
    loss = loss * (out > y).to(torch::kFloat).mean();
  train(optimizer, loss);
}

// --- the whole loss ------------------------------------------------------------------------------

void accuracy_bad(Net net, Tensor x, Tensor y) {
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  auto wrong = net(x).argmax(1).ne(y); // expect: ml-loss-without-gradient: the result of 'argmax' has no gradient, and the loss is computed of nothing else: backward() throws
  auto loss = wrong.to(torch::kFloat).mean();
  optimizer.zero_grad();
  loss.backward(); // note: the backward is here
  optimizer.step();
}

static Tensor errorRate(const Tensor &scores, const Tensor &y) {
  return (scores > y).to(torch::kFloat).mean(); // expect: ml-loss-without-gradient: '>'
}

void helper_bad(Net net, Tensor x, Tensor y) {
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  train(optimizer, errorRate(net(x), y));
}

void rounded_bad(Net net) {
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  auto x = torch::randn({8, 4}), y = torch::randn({8, 4});
  auto out = net(x).round(); // expect: ml-loss-without-gradient: the gradient of 'round' is zero everywhere, and the loss is computed of nothing else: nothing is trained by it
  train(optimizer, torch::mse_loss(out, y));
}

void integers_bad(Net net) {
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  auto x = torch::randn({8, 4}), y = torch::zeros({8, 4}, torch::kLong);
  auto out = net(x).to(torch::kLong); // expect: ml-loss-without-gradient: a tensor of integers has no gradient
  train(optimizer, (out - y).abs().to(torch::kFloat).mean());
}

void repaired_in_vain_bad(Net net, Tensor x, Tensor y) {
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  auto loss = net(x).argmax(1).eq(y).to(torch::kFloat).mean(); // expect: ml-loss-without-gradient: nothing is trained by it
  loss.requires_grad_(true);
  train(optimizer, loss);
}

void summed_bad(Net net, const std::vector<Tensor> &batches) {
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  auto total = torch::zeros({});
  for (const auto &x : batches)
    total = total + (net(x) > 0).to(torch::kFloat).mean(); // expect: ml-loss-without-gradient
  train(optimizer, total);
}

void in_place_bad(Net net, const std::vector<Tensor> &batches) {
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  auto total = torch::zeros({});
  for (const auto &x : batches)
    total += (net(x) > 0).to(torch::kFloat).mean(); // expect: ml-loss-without-gradient
  train(optimizer, total);
}

void listed_bad(Net net, const std::vector<Tensor> &batches) {
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  std::vector<Tensor> errors;
  for (const auto &x : batches)
    errors.push_back(net(x).argmax(1).to(torch::kFloat).mean()); // expect: ml-loss-without-gradient
  train(optimizer, torch::stack(errors).sum());
}

void number_bad(Net net, const std::vector<Tensor> &batches) {
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  double total = 0;
  for (const auto &x : batches)
    total += net(x).pow(2).mean().item<double>(); // expect: ml-loss-without-gradient: a number has no gradient, and the loss is computed of nothing else: nothing is trained by it
  auto loss = torch::tensor(total / batches.size(), torch::requires_grad());
  train(optimizer, loss);
}

static float penalty(const Tensor &out) {
  return out.abs().mean().item<float>(); // expect: ml-loss-without-gradient: a number has no gradient, and the loss is computed of nothing else: backward() throws
}

void number_by_helper_bad(Net net, Tensor x) {
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  train(optimizer, torch::full({}, penalty(net(x))));
}

void numbers_bad(Net net, const std::vector<Tensor> &batches) {
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  std::vector<float> losses;
  for (const auto &x : batches)
    losses.push_back(net(x).pow(2).mean().item<float>()); // expect: ml-loss-without-gradient
  train(optimizer, torch::tensor(losses).mean());
}

struct ErrorRateImpl : torch::nn::Module {
  Tensor forward(Tensor scores, Tensor y) {
    return scores.argmax(1).ne(y).to(torch::kFloat).mean(); // expect: ml-loss-without-gradient: 'argmax'
  }
};
TORCH_MODULE(ErrorRate);

void module_bad(Net net, Tensor x, Tensor y) {
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  ErrorRate error;
  train(optimizer, error(net(x), y));
}

class Trainer {
public:
  void step(const Tensor &x, const Tensor &y) {
    auto loss = lossOf(x, y);
    optimizer.zero_grad();
    loss.backward(); // note: the backward is here
    optimizer.step();
  }

private:
  Tensor lossOf(const Tensor &x, const Tensor &y) {
    auto hits = torch::eq(std::get<1>(net->forward(x).max(1)), y); // expect: ml-loss-without-gradient
    return 1 - hits.to(torch::kFloat).mean();
  }
  Net net{4, 4};
  torch::optim::SGD optimizer{net->parameters(), 0.1};
};

// --- a term --------------------------------------------------------------------------------------

void term_bad(Net net, Tensor x, Tensor y) {
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  auto out = net(x);
  auto sparsity = (out != 0).to(torch::kFloat).mean(); // expect: ml-loss-without-gradient: the result of '!=' has no gradient: the term of the loss that is computed of it has no effect on what is trained
  train(optimizer, torch::mse_loss(out, y) + 0.1 * sparsity);
}

void added_term_bad(Net net, Tensor x, Tensor y) {
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  auto out = net(x);
  auto loss = torch::mse_loss(out, y);
  loss += 0.1 * out.sign().sum(); // expect: ml-loss-without-gradient: the gradient of 'sign' is zero everywhere: the term
  train(optimizer, loss / 2);
}

void number_term_bad(Net net, Tensor x, Tensor y) {
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  auto out = net(x);
  const double weight = 0.01;
  auto decay = weight * net->weight.norm().item<double>(); // expect: ml-loss-without-gradient: a number has no gradient: the term
  train(optimizer, torch::mse_loss(out, y) + decay);
}

void tensor_of_number_term_bad(Net net, Tensor x, Tensor y) {
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  auto out = net(x);
  auto decay = torch::tensor(out.norm().item<double>()); // expect: ml-loss-without-gradient: a number has no gradient: the term
  train(optimizer, torch::mse_loss(out, y) + decay);
}

// Gradients have a graph only if one is asked for.
void penalty_bad(Net net, Tensor x, Tensor y) {
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  x.requires_grad_();
  auto out = net(x);
  auto slope = torch::autograd::grad({out}, {x}, {torch::ones_like(out)}, /*retain_graph=*/true)[0]; // expect: ml-loss-without-gradient: gradients have none of their own unless they are computed with a graph: the term
  train(optimizer, torch::mse_loss(out, y) + 0.1 * slope.pow(2).mean());
}

void penalty_ok(Net net, Tensor x, Tensor y) {
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  x.requires_grad_();
  auto out = net(x);
  auto slope = torch::autograd::grad({out}, {x}, {torch::ones_like(out)}, true, true)[0];
  train(optimizer, torch::mse_loss(out, y) + 0.1 * slope.pow(2).mean());
}

void weight_ok(Net net, Tensor x, Tensor y) {
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  x.requires_grad_();
  auto out = net(x);
  auto slope = torch::autograd::grad({out}, {x}, {torch::ones_like(out)}, true)[0];
  train(optimizer, ((out - y).pow(2) * slope.abs()).mean());
}

// --- what detach() gives -------------------------------------------------------------------------

void detached_term_bad(Net generator, Net critic, Tensor x, Tensor y) {
  torch::optim::SGD optimizer(generator->parameters(), 0.1);
  auto fake = generator(x);
  auto score = critic(fake).detach(); // expect: ml-loss-without-gradient (level 0): the result of 'detach' has no gradient: the term
  auto adversarial = torch::mse_loss(score, torch::ones_like(score));
  train(optimizer, torch::mse_loss(fake, y) + 0.5 * adversarial);
}

struct SmoothnessImpl : torch::nn::Module {
  Tensor forward(Tensor input) {
    auto x = input.detach(); // expect: ml-loss-without-gradient: the result of 'detach' has no gradient: the term
    return (x.slice(1, 1, 8) - x.slice(1, 0, 7)).pow(2).sum();
  }
};
TORCH_MODULE(Smoothness);

void smoothness_bad(Net net, Smoothness smoothness, Tensor x, Tensor y) {
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  auto out = net(x);
  train(optimizer, torch::mse_loss(out, y) + smoothness(out));
}

void detached_loss_bad(Net net, Tensor x, Tensor y) {
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  for (int i = 0; i < 10; ++i) {
    auto loss = torch::mse_loss(net(x), y);
    loss = loss.detach(); // expect: ml-loss-without-gradient (level 0): computed of nothing else: backward() throws
    train(optimizer, loss);
  }
}

// A running mean is a constant of the loss, whatever that is.
void mean_ok(Net net, Tensor x, Tensor y, Tensor mean) {
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  auto loss = torch::mse_loss(net(x), y);
  auto last = loss.detach();
  train(optimizer, loss - last);
}

void detached_weight_ok(Net actor, Net critic, Tensor x, Tensor reward) {
  torch::optim::SGD optimizer(actor->parameters(), 0.1);
  auto value = critic(x);
  auto advantage = reward - value.detach();
  train(optimizer, (actor(x) * advantage).mean() + torch::mse_loss(value, reward));
}

void teacher_ok(Net net, Net teacher, Tensor x, Tensor y) {
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  auto out = net(x);
  train(optimizer, torch::mse_loss(out, y) + torch::mse_loss(out, teacher(x).detach()));
}

void straight_through_ok(Net net, Tensor x, Tensor y) {
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  auto out = net(x);
  auto rounded = out + (out.round() - out).detach();
  train(optimizer, torch::mse_loss(rounded, y));
}

void running_mean_ok(Net net, Tensor x, Tensor y) {
  torch::optim::SGD optimizer(net->parameters(), 0.1);
  Tensor mean = torch::zeros({1});
  for (int step = 0; step < 10; ++step) {
    auto loss = torch::mse_loss(net(x), y);
    mean = 0.9 * mean + 0.1 * loss.detach();
    train(optimizer, loss / mean);
  }
}

void differentiated_ok(Net net, Tensor x, Tensor y) {
  auto leaf = net(x).detach().requires_grad_();
  torch::mse_loss(leaf, y).backward();
  y += leaf.grad();
}
