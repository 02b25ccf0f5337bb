// The gradients of every operation of the table against central differences, in float64.
#pragma once

#include "Generator.h"

#include <iostream>
#include <stdexcept>

namespace oracle {

/// A statement behind those that make its arguments, as a function of the leaves among these.
class Differentiable {
public:
  Differentiable(const std::map<std::string, const Operation *> &table,
                 std::vector<Statement> statements)
      : table(table), statements(std::move(statements)) {}

  /// Compares the gradient of each element with what moving it does; returns how many it could
  /// compare. `problem` says what differs.
  int compare(std::string &problem) {
    auto [loss, leaves] = run("", 0, 0);
    differentiable = loss.defined() && loss.requires_grad();
    if (!differentiable)
      return 0;
    Tensors inputs;
    for (const auto &[name, leaf] : leaves)
      inputs.push_back(leaf);
    Tensors gradients;
    try {
      gradients = torch::autograd::grad({loss}, inputs, {}, std::nullopt, false, true);
    } catch (const std::exception &) { // it says that it has no gradient
      differentiable = false;
      return 0;
    }
    if (!std::isfinite(loss.item<double>()))
      return 0;
    int compared = 0;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      for (int64_t place = 0; gradients[i].defined() && place < inputs[i].numel(); ++place) {
        double gradient = gradients[i].reshape({-1})[place].item<double>();
        auto numeric = slope(leaves[i].first, place, loss.item<double>());
        if (!numeric)
          continue;
        // The second part is what the rounding of the two losses makes of their difference.
        double tolerance =
            1e-5 * std::max(1.0, std::abs(*numeric)) + 1e-9 * std::abs(loss.item<double>());
        if (std::abs(gradient - *numeric) <= tolerance)
          ++compared;
        else if (!mayOverwrite())
          problem = leaves[i].first + "[" + std::to_string(place) + "] has the gradient " +
                    std::to_string(gradient) + ", by differences " + std::to_string(*numeric);
      }
    }
    return compared;
  }

  /// Whether the last comparison found a graph.
  bool records() const { return differentiable; }

  std::string text() const {
    std::string text;
    for (const Statement &statement : statements)
      text += (text.empty() ? "" : "; ") + statement.text();
    return text;
  }

private:
  using Leaves = std::vector<std::pair<std::string, Tensor>>;

  /// A sum over all results, where element `place` of the leaf `moved` is larger by `step`; and the
  /// leaves.
  std::pair<Tensor, Leaves> run(const std::string &moved, int64_t place, double step) const {
    start();
    Memory memory;
    Leaves leaves;
    for (const Statement &statement : statements) {
      execute(table, statement, memory);
      if (statement.operation != "make")
        continue;
      Tensor &leaf = memory.results[statement.name][0];
      if (statement.name == moved) {
        Tensor steps = torch::zeros(leaf.sizes(), leaf.options().requires_grad(false));
        steps.view({-1})[place] = step;
        leaf = (leaf.detach() + steps).set_requires_grad(leaf.requires_grad());
      }
      if (leaf.requires_grad())
        leaves.emplace_back(statement.name, leaf);
    }
    Tensor sum;
    for (const Tensor &x : memory.results[statements.back().name])
      if (x.defined() && x.is_floating_point())
        sum = sum.defined() ? sum + marked(x) : marked(x);
    return {sum, leaves};
  }

  /// The central difference; nothing where the function has a bend, or no finite value.
  std::optional<double> slope(const std::string &leaf, int64_t place, double here) const {
    constexpr double step = 1e-6;
    Tensor more = run(leaf, place, step).first, less = run(leaf, place, -step).first;
    if (!more.defined() || !less.defined()) // moved out of where the operation is defined
      return std::nullopt;
    double after = (more.item<double>() - here) / step;
    double before = (here - less.item<double>()) / step;
    double slope = (after + before) / 2;
    if (!std::isfinite(slope) || std::abs(after - before) > 1e-3 * std::max(1.0, std::abs(slope)))
      return std::nullopt;
    return slope;
  }

  /// Whether several elements may go to one place. It is nobody's promise which one stays, so that
  /// all get its gradient.
  bool mayOverwrite() const {
    std::string name = statements.back().operation;
    return name.starts_with("index_put") || name.starts_with("max_unpool") ||
           (name.starts_with("scatter") && !name.starts_with("scatter_add"));
  }

  const std::map<std::string, const Operation *> &table;
  std::vector<Statement> statements;
  bool differentiable = false;
};

/// Prints what differs, and for which operations that record a gradient none could be compared.
inline bool compareGradients(uint64_t seed, const std::map<std::string, const Operation *> &table) {
  Generator generator(seed, table);
  int wrong = 0, unseen = 0, right = 0, constant = 0;
  for (const Operation &operation : operations()) {
    int compared = 0;
    bool records = false;
    std::string problem;
    auto enough = [&](int attempts) {
      return compared >= 40 || attempts >= (records && compared == 0 ? 600 : 60);
    };
    for (int attempt = 0; *operation.kinds && !enough(attempt); ++attempt) {
      Differentiable function(table, generator.exactly(operation));
      compared += function.compare(problem);
      records = records || function.records();
      if (problem.empty())
        continue;
      std::cout << function.text() << "\n  " << problem << "\n";
      ++wrong;
      break;
    }
    if (records && compared == 0)
      std::cout << operation.name << ": nothing could be compared\n";
    ++(compared > 0 ? right : records ? unseen : constant);
  }
  std::cout << right - wrong << " operations have the gradients of finite differences, " << wrong
            << " have others, " << unseen << " were not compared, " << constant << " have none"
            << std::endl;
  return wrong == 0 && unseen == 0;
}

} // namespace oracle
