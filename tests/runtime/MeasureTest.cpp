// MemoryTracker and Profiler, on the host, with either library.
#include "Expect.h"

#include <gradtidy/MemoryTracker.h>
#include <gradtidy/Profiler.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <thread>

using torch::Tensor;

namespace {

Tensor floats(int64_t count) { return torch::zeros({count}); }

std::map<std::string, int> countsOf(const gradtidy::Profiler &profiler) {
  std::map<std::string, int> counts;
  for (const gradtidy::ProfilerEvent &event : profiler.events())
    ++counts[event.name];
  return counts;
}

} // namespace

TEST_CASE("a tracker counts what is got and given back in its scope") {
  gradtidy::MemoryTracker memory;
  Tensor kept = floats(256);
  {
    Tensor gone = floats(1024);
    CHECK(memory.delta() == 5120);
  }
  CHECK(memory.delta() == 1024);
  CHECK(memory.peak() == 5120);
  CHECK(memory.use().allocated == 5120);
  CHECK(memory.use().freed == 4096);
  CHECK(memory.use().blocks == 2);
  memory.reset_peak();
  CHECK(memory.peak() == 1024);
  CHECK(memory.summary().find("cpu        1.00 KiB     1.00 KiB     5.00 KiB     4.00 KiB") !=
        std::string::npos);
}

TEST_CASE("graphs keep little, and backward copies no gradient") {
  auto leaf = [](torch::IntArrayRef shape) { return torch::ones(shape).requires_grad_(); };
  const Tensor x = leaf({32, 64}), weight = leaf({64}), bias = leaf({64});
  for (auto type : {torch::kFloat, torch::kBFloat16}) {
    const auto size = static_cast<int64_t>(x.numel() * torch::elementSize(type));
    const Tensor a = x.detach().to(type).requires_grad_(), w = weight.detach().to(type),
                 b = bias.detach().to(type);
    gradtidy::MemoryTracker memory;
    const Tensor normalised = torch::layer_norm(a, {64}, w, b);
    CHECK(memory.delta() <= size + 2 * 32 * 4);
    const Tensor shares = normalised.softmax(1);
    CHECK(memory.delta() <= 2 * size + 2 * 32 * 4);
  }
  const Tensor matrix = leaf({64, 64}), given = torch::ones({32, 64}),
               y = torch::linear(x.detach(), matrix);
  gradtidy::MemoryTracker memory;
  y.backward(given);
  CHECK(memory.peak() < 2 * 64 * 64 * 4);
  CHECK(matrix.grad().is_contiguous());
}

TEST_CASE("trackers can be nested, and views take nothing") {
  gradtidy::MemoryTracker outer;
  Tensor x = floats(256);
  {
    gradtidy::MemoryTracker inner;
    Tensor y = floats(512), view = x.view({16, 16}).t();
    CHECK(inner.delta() == 2048);
  }
  CHECK(outer.peak() == 3072);
  CHECK(outer.delta() == 1024);
  Tensor z = floats(256);
  CHECK(outer.delta() == 2048);
}

TEST_CASE("a tracker sees its own thread alone, and devices only by their number") {
  gradtidy::MemoryTracker memory;
  std::thread([] { floats(256); }).join();
  CHECK(memory.use().allocated == 0);
  CHECK(memory.peak(torch::Device(torch::kCUDA, 0)) == 0);
  CHECK(errorOf([&] { memory.peak(torch::kCUDA); }) ==
        "a memory tracker must be told which device, for example torch::Device(torch::kCUDA, 0)");
}

TEST_CASE("the history tells which operation got each block") {
  Tensor a = torch::ones({8, 8}), b = torch::ones({8, 8});
  gradtidy::MemoryTracker memory({.history = true});
  {
    RECORD_USER_SCOPE("multiply");
    Tensor c = a.mm(b);
  }
  const auto history = memory.history();
  REQUIRE(history.size() == 2);
  CHECK(history[0].bytes == 256);
  CHECK(history[0].operation == "aten::mm");
  CHECK(history[1].bytes == -256);
  CHECK(history[1].current == 0);
  CHECK(history[1].operation == "multiply");
  CHECK(history[1].address == history[0].address);
  std::ostringstream out;
  memory.write_history(out);
  CHECK(out.str().find("\tcpu\t") != std::string::npos);
  CHECK(out.str().find("\t256\t256\taten::mm\n") != std::string::npos);
}

TEST_CASE("a profiler sees operations, nested ones, backward and the program's own scopes") {
  torch::nn::Linear layer(4, 2);
  gradtidy::Profiler profiler;
  {
    RECORD_USER_SCOPE("iteration");
    layer(torch::ones({3, 4})).relu().sum().backward();
  }
  profiler.stop();
  torch::ones({2}).exp();
  auto counts = countsOf(profiler);
  CHECK(counts["iteration"] == 1);
  CHECK(counts["aten::linear"] == 1);
  CHECK(counts["aten::addmm"] == 1);
  CHECK(counts["aten::relu"] == 1);
  CHECK(counts["AddmmBackward0"] == 1);
  CHECK(counts["SumBackward0"] == 1);
  CHECK(counts["aten::exp"] == 0);
  double total = 0, self = 0;
  for (const auto &event : profiler.events()) {
    CHECK(event.self <= event.duration);
    if (event.name == "iteration")
      total = event.duration;
    self += event.self;
  }
  CHECK(self == Approx(total).epsilon(1e-6));
}

TEST_CASE("the table is sorted by time or number") {
  gradtidy::Profiler profiler;
  for (int i = 0; i < 3; ++i)
    torch::ones({4}).exp();
  torch::rand({300, 300}).mm(torch::rand({300, 300}));
  profiler.stop();
  // On a busy machine anything may take the longest.
  std::map<std::string, double> times;
  for (const auto &event : profiler.events())
    times[event.name] += event.self;
  const std::string byTime = profiler.table();
  CHECK(byTime.find("Name") == 0);
  CHECK((byTime.find("aten::mm") < byTime.find("aten::exp")) ==
        (times["aten::mm"] > times["aten::exp"]));
  const std::string byNumber = profiler.table(gradtidy::SortBy::Count);
  CHECK(byNumber.find("aten::exp") < byNumber.find("aten::mm"));
  const std::string slowest = profiler.table(gradtidy::SortBy::Self, 1);
  for (const auto &[name, time] : times)
    if (time < times["aten::mm"] || time < times["aten::exp"])
      CHECK(slowest.find(name + " ") == std::string::npos);
  CHECK(byTime.find("Self CPU time total: ") != std::string::npos);
}

TEST_CASE("a schedule records its active steps") {
  std::vector<std::map<std::string, int>> traces;
  gradtidy::ProfilerOptions options;
  options.schedule = {.skip_first = 1, .wait = 1, .warmup = 1, .active = 2, .repeat = 2};
  options.on_trace_ready = [&](const gradtidy::Profiler &profiler) {
    traces.push_back(countsOf(profiler));
  };
  gradtidy::Profiler profiler(options);
  for (int step = 0; step < 12; ++step) {
    torch::ones({2}).exp();
    profiler.step();
  }
  REQUIRE(traces.size() == 2);
  CHECK(traces[0]["aten::exp"] == 2);
  CHECK(traces[0]["ProfilerStep#3"] == 1);
  CHECK(traces[0]["ProfilerStep#4"] == 1);
  CHECK(traces[1]["aten::exp"] == 2);
  CHECK(traces[1]["ProfilerStep#7"] == 1);
  CHECK(traces[1].count("ProfilerStep#4") == 0);
}

TEST_CASE("a cycle cut short by stop() is reported, too") {
  int traces = 0;
  gradtidy::ProfilerOptions options;
  options.schedule = {.active = 3};
  options.on_trace_ready = [&](const gradtidy::Profiler &) { ++traces; };
  gradtidy::Profiler profiler(options);
  profiler.step();
  CHECK(errorOf([] { gradtidy::Profiler another; }) == "another profiler is running");
  profiler.stop();
  CHECK(traces == 1);
  CHECK(errorOf([&] { profiler.step(); }) == "the profiler was stopped");
}

TEST_CASE("a trace is JSON with an entry for each call") {
  const auto path = std::filesystem::temp_directory_path() / "gradtidy-profiler-test.json";
  gradtidy::Profiler profiler;
  {
    RECORD_USER_SCOPE("a \"quoted\" scope");
    torch::ones({2}).exp();
  }
  profiler.stop();
  profiler.export_chrome_trace(path.string());
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  std::filesystem::remove(path);
  CHECK(text.str().find("{\"traceEvents\":[\n{\"ph\":\"X\",\"cat\":\"cpu_op\"") == 0);
  CHECK(text.str().find("\"cat\":\"user_annotation\",\"name\":\"a \\u0022quoted\\u0022 scope\"") !=
        std::string::npos);
  CHECK(errorOf([&] { profiler.export_chrome_trace("/nowhere/trace.json"); }) ==
        "cannot write the trace to /nowhere/trace.json");
}

TEST_CASE("a schedule must make sense") {
  gradtidy::ProfilerOptions options;
  options.schedule.wait = 1;
  CHECK(errorOf([&] { gradtidy::Profiler profiler(options); }) ==
        "a profiler's schedule needs at least one active step");
}
