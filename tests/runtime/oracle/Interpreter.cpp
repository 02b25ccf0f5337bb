// Runs programs of tensor operations and prints all they made, so that two builds of this file, one
// with the runtime and one with LibTorch, can be compared.
//
//   interpreter generate SEED COUNT   prints programs, one a line
//   interpreter run [DEVICE]          runs the programs of its standard input
//   interpreter gradients SEED        compares gradients with finite differences
//   interpreter operations            prints the table: name, result, parameters, expression
//
// For each program: a line for each statement that failed, "v3 error IndexError: ..."; one for each
// tensor as it is in the end, "v3 f32 [2] [1] grad leaf = 1 2", and for each gradient, "v3.grad
// ...". An empty line ends it.
#include "Gradients.h"

#include <iostream>

using namespace oracle;

namespace {

void report(const std::string &name, const Tensor &tensor) {
  std::cout << name << " " << describe(tensor) << "\n";
}

void run(const std::map<std::string, const Operation *> &table, const std::string &line) {
  start();
  Memory memory;
  std::vector<Statement> statements = parse(line);
  for (const Statement &statement : statements)
    if (std::string error = execute(table, statement, memory); !error.empty())
      std::cout << statement.name << " " << error << "\n";
  for (const Statement &statement : statements) {
    const Tensors &results = memory.results[statement.name];
    for (std::size_t i = 0; i < results.size(); ++i) {
      std::string name = statement.name + (i == 0 ? "" : "." + std::to_string(i));
      try {
        report(name, results[i]);
        if (results[i].defined() && (results[i].is_leaf() || results[i].retains_grad()) &&
            results[i].grad().defined())
          report(name + ".grad", results[i].grad());
      } catch (const std::exception &error) {
        std::cout << name << " cannot be shown: " << firstLine(error.what()) << "\n";
      }
    }
  }
  std::cout << std::endl;
}

} // namespace

int main(int count, char **arguments) {
  std::map<std::string, const Operation *> table;
  for (const Operation &operation : operations())
    table[operation.name] = &operation;
  std::string command = count > 1 ? arguments[1] : "";
  if (command == "generate" && count == 4) {
    Generator generator(std::stoull(arguments[2]), table);
    for (long long programs = std::stoll(arguments[3]); programs > 0; --programs)
      std::cout << generator.program() << std::endl;
    return 0;
  }
  if (command == "run" && count <= 3) {
    if (count == 3)
      device = torch::Device(arguments[2]);
    at::globalContext().setAllowTF32CuDNN(false); // whose numbers are too coarse to compare
    for (std::string line; std::getline(std::cin, line);)
      run(table, line);
    return 0;
  }
  if (command == "gradients" && count == 3)
    return compareGradients(std::stoull(arguments[2]), table) ? 0 : 1;
  if (command == "operations" && count == 2) {
    for (const Operation &operation : operations())
      std::cout << operation.name << "\t" << operation.result << "\t" << operation.parameters << "\t"
                << operation.expression << "\n";
    return 0;
  }
  std::cerr << "interpreter generate SEED COUNT | run [DEVICE] | gradients SEED | operations\n";
  return 2;
}
