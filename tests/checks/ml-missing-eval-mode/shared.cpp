// Parts that are parts of several others: the ways to a layer are as many as 2 to the power of 40.
#include <torch/torch.h>

using torch::nn::Sequential;

Sequential nest(Sequential a) {
  Sequential b(a, a), c(b, b), d(c, c), e(d, d), f(e, e), g(f, f), h(g, g), i(h, h), j(i, i);
  Sequential k(j, j), l(k, k), m(l, l), n(m, m), o(n, n), p(o, o), q(p, p), r(q, q), s(r, r);
  Sequential t(s, s), u(t, t), v(u, u), w(v, v), x(w, w), y(x, x), z(y, y);
  Sequential aa(z, z), ab(aa, aa), ac(ab, ab), ad(ac, ac), ae(ad, ad), af(ae, ae), ag(af, af);
  Sequential ah(ag, ag), ai(ah, ah), aj(ai, ai), ak(aj, aj), al(ak, ak), am(al, al), an(am, am);
  return an;
}

void predict_bad(torch::Tensor x) {
  auto net = nest(Sequential(torch::nn::Dropout(0.5)));
  torch::load(net, "net.pt");
  torch::NoGradGuard guard;
  x = net->forward(x).argmax(1); // expect: ml-missing-eval-mode
}

void predict_ok(torch::Tensor x) {
  auto net = nest(Sequential(torch::nn::Dropout(0.5)));
  torch::load(net, "net.pt");
  net->eval();
  torch::NoGradGuard guard;
  x = net->forward(x).argmax(1);
}
