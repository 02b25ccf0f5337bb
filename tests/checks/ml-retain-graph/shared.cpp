// Two backwards through one graph need it kept, but for the last of them.
#include <torch/torch.h>

using Net = torch::nn::Linear;
struct Batch {
  torch::Tensor data, target;
};
using Batches = std::vector<Batch>;
using Optimizer = torch::optim::Optimizer;

void shared_trunk_ok(Net trunk, Net first, Net second, Optimizer &optimizer,
                     const Batches &batches) {
  for (const auto &batch : batches) {
    optimizer.zero_grad();
    auto features = trunk(batch.data);
    auto firstLoss = torch::mse_loss(first(features), batch.target);
    auto secondLoss = torch::mse_loss(second(features), batch.target);
    firstLoss.backward({}, true);
    secondLoss.backward();
    optimizer.step();
  }
}

void last_one_bad(Net trunk, Net first, Net second, Optimizer &optimizer, const Batches &batches) {
  for (const auto &batch : batches) {
    optimizer.zero_grad();
    auto features = trunk(batch.data);
    auto firstLoss = torch::mse_loss(first(features), batch.target);
    auto secondLoss = torch::mse_loss(second(features), batch.target);
    firstLoss.backward({}, true);
    secondLoss.backward({}, true); // expect: ml-retain-graph
    optimizer.step();
  }
}

void separate_networks_bad(Net actor, Net critic, Optimizer &optimizer, const Batches &batches) {
  for (const auto &batch : batches) {
    optimizer.zero_grad();
    auto actorLoss = torch::mse_loss(actor(batch.data), batch.target);
    auto criticLoss = torch::mse_loss(critic(batch.data), batch.target);
    actorLoss.backward({}, true); // expect: ml-retain-graph
    criticLoss.backward();
    optimizer.step();
  }
}

void actor_and_critic_ok(Net body, Net actor, Net critic, Optimizer &optimizer,
                         const Batches &batches) {
  for (const auto &batch : batches) {
    auto features = torch::relu(body(batch.data));
    auto value = critic(features);
    auto advantage = (batch.target - value).detach();
    auto actorLoss = -(torch::log_softmax(actor(features), 1) * advantage).mean();
    auto criticLoss = torch::mse_loss(value, batch.target);
    optimizer.zero_grad();
    actorLoss.backward({}, true);
    criticLoss.backward();
    optimizer.step();
  }
}

// The generator's graph serves both losses.
void fake_not_detached_ok(Net generator, Net discriminator, Optimizer &generatorOptimizer,
                          Optimizer &discriminatorOptimizer, const Batches &batches) {
  for (const auto &batch : batches) {
    auto fake = generator(torch::randn({8, 4}));
    discriminatorOptimizer.zero_grad();
    auto discriminatorLoss = discriminator(fake).mean() - discriminator(batch.data).mean();
    discriminatorLoss.backward({}, true);
    discriminatorOptimizer.step();
    generatorOptimizer.zero_grad();
    auto generatorLoss = -discriminator(fake).mean();
    generatorLoss.backward();
    generatorOptimizer.step();
  }
}

// Cut off, the discriminator's graph is its own.
void fake_detached_bad(Net generator, Net discriminator, Optimizer &generatorOptimizer,
                       Optimizer &discriminatorOptimizer, const Batches &batches) {
  for (const auto &batch : batches) {
    auto fake = generator(torch::randn({8, 4}));
    discriminatorOptimizer.zero_grad();
    auto discriminatorLoss = discriminator(fake.detach()).mean() - discriminator(batch.data).mean();
    discriminatorLoss.backward({}, true); // expect: ml-retain-graph
    discriminatorOptimizer.step();
    generatorOptimizer.zero_grad();
    auto generatorLoss = -discriminator(fake).mean();
    generatorLoss.backward();
    generatorOptimizer.step();
  }
}

void reconstruction_and_adversary_ok(Net encoder, Net decoder, Net discriminator,
                                     Optimizer &optimizer, const Batches &batches) {
  for (const auto &batch : batches) {
    optimizer.zero_grad();
    auto code = encoder(batch.data);
    torch::mse_loss(decoder(code), batch.data).backward({}, true);
    discriminator(code).mean().backward();
    optimizer.step();
  }
}

// The state carries the graph of the last iterations into this one (which is another pitfall).
void carried_state_ok(torch::nn::GRUCell cell, Net head, Optimizer &optimizer,
                      const Batches &batches) {
  auto state = torch::zeros({8, 16});
  for (const auto &batch : batches) {
    optimizer.zero_grad();
    state = cell(batch.data, state);
    torch::mse_loss(head(state), batch.target).backward({}, true);
    optimizer.step();
  }
}

void detached_state_bad(torch::nn::GRUCell cell, Net head, Optimizer &optimizer,
                        const Batches &batches) {
  auto state = torch::zeros({8, 16});
  for (const auto &batch : batches) {
    optimizer.zero_grad();
    state = cell(batch.data, state.detach());
    auto loss = torch::mse_loss(head(state), batch.target);
    loss.backward({}, true); // expect: ml-retain-graph
    optimizer.step();
  }
}

// A constant made once, differentiated in every iteration.
void hoisted_forward_ok(Net encoder, Net head, Optimizer &optimizer, const Batches &batches) {
  auto context = encoder(torch::ones({8, 4}));
  for (const auto &batch : batches) {
    optimizer.zero_grad();
    torch::mse_loss(head(context), batch.target).backward({}, true);
    optimizer.step();
  }
}
