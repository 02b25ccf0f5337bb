// The findings of ml-missing-zero-grad in a framework that is known by its model only.
#include <lumen/lumen.h>

struct Model : lumen::Net {
  lumen::Array forward(const lumen::Array &x);
};

lumen::Array squaredError(const lumen::Array &a, const lumen::Array &b) {
  return lumen::mean((a - b) * (a - b));
}

void plain_bad(Model &model, lumen::Array x, lumen::Array y) {
  lumen::Descent learner(model.knobs(), 0.1);
  for (int i = 0; i < 100; ++i) { // note: the loop comes round again
    auto loss = squaredError(model.forward(x), y);
    loss.derive(); // note: new gradients
    learner.learn(); // expect: ml-missing-zero-grad: clear them with wipe() // note: the previous step
  }
}

void plain_ok(Model &model, lumen::Array x, lumen::Array y) {
  lumen::Descent learner(model.knobs(), 0.1);
  for (int i = 0; i < 100; ++i) {
    learner.wipe();
    squaredError(model.forward(x), y).derive();
    learner.learn();
  }
}

void held_bad(lumen::Shared<Model> model, lumen::Learner &learner, lumen::Array x) {
  while (x.number() > 0) { // note: the loop comes round again
    lumen::deriveAll({model(x)}); // note: new gradients
    learner.learn(); // expect: ml-missing-zero-grad // note: the previous step
  }
}

void held_ok(lumen::Shared<Model> model, lumen::Array x) {
  lumen::Descent learner(model->knobs(), 0.1);
  while (x.number() > 0) {
    model->wipe();
    lumen::deriveAll({model(x)});
    learner.learn();
  }
}

void by_hand_ok(Model &model, lumen::Array x) {
  lumen::Descent learner(model.knobs(), 0.1);
  for (int i = 0; i < 100; ++i) {
    for (auto &knob : model.knobs())
      if (knob.slope().exists())
        knob.slope().assign(0);
    model.forward(x).derive();
    learner.learn();
  }
}

void two_learners_bad(Model &painter, Model &judge, lumen::Array x) {
  lumen::Descent painting(painter.knobs(), 0.1);
  lumen::Descent judging(judge.knobs(), 0.1);
  for (int i = 0; i < 100; ++i) { // note: the loop comes round again
    auto picture = painter.forward(x);
    judge.forward(picture.frozen()).derive();
    judging.learn(); // expect: ml-missing-zero-grad // note: the previous step

    painting.wipe();
    judge.forward(picture).derive(); // note: new gradients
    painting.learn();
  }
}
