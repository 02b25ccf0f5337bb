// What threads of an object do.
#include <torch/torch.h>

#include <future>
#include <thread>
#include <vector>

class Viewer {
public:
  explicit Viewer(torch::Device device) : image(torch::zeros({3}, device)) {}
  void start() { thread = std::thread(&Viewer::run, this); }
  void startOne() { threads.emplace_back(&Viewer::show, this, 1); }
  void startTask() { task = std::async(std::launch::async, &Viewer::draw, this); }

private:
  void run() {
    while (true) {
      torch::Tensor shown = image.clamp(0, 1);
      use(shown.data_ptr<float>()[0]); // expect: ml-host-access: the host reads memory of 'shown'
    }
  }
  void show(int) {
    torch::Tensor shown = image.clamp(0, 1);
    use(shown.data_ptr<float>()[0]); // expect: ml-host-access: the host reads memory of 'shown'
  }
  void draw() {
    torch::Tensor shown = image.clamp(0, 1).cpu();
    use(shown.data_ptr<float>()[0]);
  }
  void use(float);

  torch::Tensor image;
  std::thread thread;
  std::vector<std::thread> threads;
  std::future<void> task;
};

void view(torch::Device device) {
  Viewer viewer(device);
  viewer.start();
  viewer.startOne();
  viewer.startTask();
}
