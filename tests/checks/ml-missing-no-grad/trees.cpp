// A walk through a tree: names that denote what lies below each other.
#include <torch/torch.h>

#include <iostream>
#include <map>

struct Node;
struct Edge {
  Node *target, *source;
};
struct Node {
  std::map<int, Edge> edges;
  Node *parent;
  torch::Tensor board;
};
using Net = torch::nn::Sequential;

void to_a_leaf_bad(Node *node, Net net) {
  while (!node->edges.empty()) {
    Edge *edge = &node->edges.begin()->second;
    for (auto &[move, other] : node->edges)
      if (move > 1)
        edge = &other;
    node = edge->target;
  }
  auto value = net->forward(node->board); // expect: ml-missing-no-grad
  std::cout << value.item<float>();
}

void up_and_down_bad(Node *node, Net net) {
  for (int i = 0; i < 10; ++i) {
    Edge *edge = &node->edges.begin()->second;
    node = edge->source;
    edge->target = node;
    node->parent = edge->target;
  }
  auto value = net->forward(node->board); // expect: ml-missing-no-grad
  std::cout << value.item<float>();
}
