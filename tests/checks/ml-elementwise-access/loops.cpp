// Loops over the elements of a tensor on the host.
#include <torch/torch.h>

#include <algorithm>
#include <cassert>
#include <iostream>
#include <vector>

using torch::Tensor;

// --- right ---------------------------------------------------------------------------------------

float accessor_ok(Tensor image) {
  float sum = 0;
  auto pixels = image.accessor<float, 2>();
  for (int64_t y = 0; y < image.size(0); ++y)
    for (int64_t x = 0; x < image.size(1); ++x)
      sum += pixels[y][x];
  return sum;
}

float handful_ok(Tensor matrix) {
  float trace = 0;
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j)
      trace += matrix[i][j].item<float>();
  return trace;
}

float named_handful_ok(Tensor matrix) {
  const int rows = 3;
  int first = 0;
  float trace = 0;
  for (int i = first; i < rows; ++i)
    for (int j = 0; j < 3; ++j)
      trace += matrix[i][j].item<float>();
  return trace;
}

// Nothing says that it is long.
float one_loop_ok(Tensor row, int n) {
  float sum = 0;
  for (int i = 0; i < n; ++i)
    sum += row[i].item<float>();
  return sum;
}

struct Game {
  void play(int64_t move);
};

// What else each round does takes longer.
void moves_ok(std::vector<Game> &games, Tensor moves) {
  for (int64_t i = 0; i < moves.size(0); ++i)
    games[i].play(moves[i].item<int64_t>());
}

void lines_ok(Tensor scores) {
  for (int64_t i = 0; i < scores.size(0); ++i) {
    const float score = scores[i].item<float>();
    std::cout << i << ": " << score << '\n';
  }
}

float means_ok(Tensor rows) {
  float sum = 0;
  for (int64_t i = 0; i < rows.size(0); ++i)
    sum += rows[i].mean().item<float>();
  return sum;
}

void printed_ok(Tensor image) {
  for (int64_t y = 0; y < image.size(0); ++y) {
    for (int64_t x = 0; x < image.size(1); ++x)
      std::cout << image[y][x].item<float>() << ' ';
    std::cout << '\n';
  }
}

void tested_ok(Tensor image) {
  for (int64_t y = 0; y < image.size(0); ++y)
    for (int64_t x = 0; x < image.size(1); ++x)
      assert(image[y][x].item<float>() >= 0);
}

Tensor rows_ok(const std::vector<Tensor> &rows) {
  Tensor all = torch::zeros({64, 4});
  for (size_t i = 0; i < rows.size(); ++i)
    for (int j = 0; j < 4; ++j)
      all[i][j] = rows[i].sum();
  return all;
}

Tensor few_ok() {
  Tensor matrix = torch::zeros({4, 4});
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j)
      matrix[i][j] = i + j;
  return matrix;
}

// --- wrong ---------------------------------------------------------------------------------------

float brackets_bad(Tensor image) {
  float sum = 0;
  for (int64_t y = 0; y < image.size(0); ++y)
    for (int64_t x = 0; x < image.size(1); ++x)
      sum += image[y][x].item<float>(); // expect: ml-elementwise-access: each element is read as a tensor of its own
  return sum;
}

float one_loop_bad(Tensor row) {
  float sum = 0;
  for (int64_t i = 0; i < row.size(0); ++i)
    sum += row[i].item<float>(); // expect: ml-elementwise-access: each element is read as a tensor of its own
  return sum;
}

// How many there are is a variable, and one number of each sample is read.
std::vector<int> labels_bad(Tensor output, Tensor target) {
  const int64_t samples = output.size(0);
  Tensor predicted = output.argmax(1);
  std::vector<int> hits(10);
  for (int64_t i = 0; i < samples; ++i) {
    int label = target[i].item<int>(); // expect: ml-elementwise-access
    if (predicted[i].item<int>() == label)
      hits[label]++;
  }
  return hits;
}

float column_bad(Tensor images, int epochs) {
  float sum = 0;
  for (int epoch = 0; epoch < epochs; ++epoch)
    for (int64_t i = 0; i < images.size(0); ++i)
      sum += images[i][0].item<float>(); // expect: ml-elementwise-access
  return sum;
}

// For every point three tensors.
void rows_bad(Tensor points, Tensor colors, Tensor sizes, std::ostream &file) {
  for (int64_t i = 0; i < points.size(0); ++i) {
    file.write(reinterpret_cast<const char *>(points[i].data_ptr()), 3 * sizeof(float)); // expect: ml-elementwise-access: each row is made a tensor of its own to get at its memory
    file.write(reinterpret_cast<const char *>(colors[i].data_ptr()), 3 * sizeof(float));
    file.write(reinterpret_cast<const char *>(sizes[i].data_ptr()), sizeof(float));
  }
}

void images_ok(Tensor images, std::istream &file) {
  for (int64_t i = 0; i < images.size(0); ++i)
    file.read(reinterpret_cast<char *>(images[i].data_ptr()), images[i].nbytes());
}

void first_ok(Tensor points, std::ostream &file, const std::vector<Tensor> &list) {
  file.write(reinterpret_cast<const char *>(points[0].data_ptr()), 3 * sizeof(float));
  for (size_t i = 0; i < list.size(); ++i)
    file.write(reinterpret_cast<const char *>(list[i].data_ptr()), 3 * sizeof(float));
}

Tensor board_bad(const std::vector<std::vector<int>> &columns) {
  Tensor board = torch::zeros({2, 64, 64});
  for (size_t c = 0; c < columns.size(); ++c)
    for (size_t r = 0; r < columns[c].size(); ++r)
      if (columns[c][r] == 1)
        board[0][r][c] = 1; // expect: ml-elementwise-access: each element is written through a tensor of its own
  return board;
}

std::vector<std::vector<float>> index_bad(const Tensor &logits) {
  std::vector<std::vector<float>> result;
  for (int i = 0; i < logits.size(0); i++) {
    std::vector<float> row;
    for (int j = 0; j < logits.size(1); j++)
      row.push_back(logits.index({i, j}).item<float>()); // expect: ml-elementwise-access
    result.push_back(row);
  }
  return result;
}

void row_bad(Tensor image, float *pixels) {
  for (int y = 0; y < 28; ++y) {
    auto row = image[y];
    for (int x = 0; x < 28; ++x)
      pixels[y * 28 + x] = row[x].item<float>() * 255; // expect: ml-elementwise-access
  }
}

void channels_bad(Tensor image, float *pixels) {
  for (int64_t c = 0; c < 3; ++c)
    for (int64_t y = 0; y < image.size(1); ++y)
      for (int64_t x = 0; x < image.size(2); ++x)
        *pixels++ = image[c][y][x].item<float>(); // expect: ml-elementwise-access
}

// --- asked for one by one ------------------------------------------------------------------------

struct Map {
  Tensor costs;
  explicit Map(const Tensor &given) : costs(given.detach().to(torch::kCPU)) {}
  float at(int r, int c) const { return costs.index({r, c}).item<float>(); } // expect: ml-elementwise-access
};

float asked_bad(const Map &map, int64_t rows, int64_t columns) {
  float sum = 0;
  for (int64_t r = 0; r < rows; ++r)
    for (int64_t c = 0; c < columns; ++c)
      sum += map.at(r, c);
  return sum;
}

struct Table {
  Tensor values;
  float at(int state, int action) const { return values[state][action].item<float>(); }
  void set(int state, int action, float value) { values[state][action] = value; }
};

// What is read is changed in between.
float learned_ok(Table &table, int steps) {
  float sum = 0;
  for (int s = 0; s < steps; ++s)
    for (int a = 0; a < steps; ++a) {
      sum += table.at(s, a);
      table.set(s, a, sum);
    }
  return sum;
}

float asked_once_ok(const Map &map, int r, int c) { return map.at(r, c); }

std::vector<float> by_algorithm_bad(const Tensor &table, const std::vector<int64_t> &rows,
                                    const std::vector<int64_t> &columns) {
  std::vector<float> result;
  std::for_each(rows.begin(), rows.end(), [&](int64_t r) {
    std::for_each(columns.begin(), columns.end(), [&](int64_t c) {
      result.push_back(table[r][c].item<float>()); // expect: ml-elementwise-access
    });
  });
  return result;
}

// --- rows ----------------------------------------------------------------------------------------

struct Record {
  float a, b, c, d;
  bool isValid;
};

Tensor rows_bad(const std::vector<Record> &records) {
  auto rows = torch::empty({int64_t(records.size()), 4});
  int row = 0;
  for (size_t i = 0; i < records.size(); ++i) {
    if (!records[i].isValid)
      continue;
    rows[row][0] = records[i].a; // expect: ml-elementwise-access (no fix)
    rows[row][1] = records[i].b;
    rows[row][2] = records[i].c;
    rows[row][3] = records[i].d;
    ++row;
  }
  return rows;
}

Tensor pairs_ok(const std::vector<Record> &records) {
  auto rows = torch::empty({int64_t(records.size()), 2});
  for (size_t i = 0; i < records.size(); ++i) {
    rows[i][0] = records[i].a;
    rows[i][1] = records[i].b;
  }
  return rows;
}

// --- one loop ------------------------------------------------------------------------------------

Tensor discounted_bad(Tensor rewards) {
  Tensor sums = torch::empty(rewards.size(0));
  double sum = 0;
  for (int64_t i = rewards.size(0) - 1; i >= 0; --i) {
    sum = 0.1 * rewards[i].item<double>() + 0.9 * sum;
    sums[i] = sum; // expect: ml-elementwise-access
  }
  return sums;
}

struct Board {
  int at(int square) const;
};

Tensor planesOf(const Board &board) {
  Tensor planes = torch::zeros({8, 8, 8});
  for (int square = 0; square < 64; ++square) {
    const int row = square / 8, column = square % 8;
    if (const int piece = board.at(square))
      planes[piece][row][column] = 1.f; // expect: ml-elementwise-access
  }
  return planes;
}
std::vector<Tensor> moves_bad(const std::vector<Board> &boards) {
  std::vector<Tensor> all;
  for (const Board &board : boards)
    all.push_back(planesOf(board));
  return all;
}

Tensor planesOfOne(const Board &board) {
  Tensor planes = torch::zeros({8, 8, 8});
  for (int square = 0; square < 64; ++square)
    planes[board.at(square)][square / 8][square % 8] = 1.f;
  return planes;
}
Tensor position_ok(const Board &board) { return planesOfOne(board); }

struct Box {
  float x, y, width, height;
};
void draw(std::vector<float> &picture, const Box &box);

void collected_bad(const Tensor &found, std::vector<Box> &boxes, std::vector<int64_t> &classes) {
  for (int64_t i = 0; i < found.size(0); ++i) {
    const Tensor row = found[i];
    boxes.push_back({row[0].item<float>(), row[1].item<float>(), // expect: ml-elementwise-access
                     row[2].item<float>(), row[3].item<float>()});
    classes.push_back(row.argmax().item<int64_t>());
  }
}

void drawn_ok(const Tensor &found, std::vector<float> &picture) {
  for (int64_t i = 0; i < found.size(0); ++i) {
    const Tensor row = found[i];
    draw(picture, {row[0].item<float>(), row[1].item<float>(), row[2].item<float>(),
                   row[3].item<float>()});
  }
}

// Elements that are copied one by one, and numbers as many as the loop says.
void copied_bad(const Tensor &text, int64_t length) {
  Tensor window = torch::zeros({16, 64});
  for (int64_t row = 0; row < 16; ++row)
    for (int64_t column = 0; column < 64; ++column)
      window[row][column] = text[row * length + column]; // expect: ml-elementwise-access
}

void rows_copied_ok(const Tensor &rows, const std::vector<int64_t> &order) {
  Tensor sorted = torch::zeros({32, 64});
  for (int64_t row = 0; row < 32; ++row)
    sorted[row] = rows[order[row]];
}

void counted_bad() {
  Tensor x = torch::zeros({1024});
  for (int i = 0; i < 1024; ++i)
    x[i] = std::sin(i * 0.01); // expect: ml-elementwise-access
}

void counted_few_ok() {
  Tensor x = torch::zeros({24});
  for (int i = 0; i < 24; ++i)
    x[i] = std::sin(i * 0.01);
}

void viewed_bad(Tensor x, std::vector<float> &out) {
  for (size_t i = 0; i < out.size(); ++i)
    out[i] = x.view({-1}).data_ptr<float>()[i]; // expect: ml-elementwise-access: makes a view
}

void viewed_once_ok(Tensor x, std::vector<float> &out) {
  const float *values = x.view({-1}).data_ptr<float>();
  for (size_t i = 0; i < out.size(); ++i)
    out[i] = values[i];
}

void other_each_round_ok(const std::vector<Tensor> &given, std::vector<float> &out) {
  Tensor y = torch::zeros({8});
  for (size_t i = 0; i < out.size(); ++i) {
    y = given[i] * 2;
    out[i] = y.view({-1}).data_ptr<float>()[i];
  }
}

void some_rounds_ok() {
  Tensor x = torch::zeros({2048});
  for (int i = 1000; i < 1004; ++i)
    x[i] = std::sin(i * 0.01);
  for (int i = 0; i < 1024; i += 256)
    x[i] = std::sin(i * 0.01);
}
