// Elements, or slices, without repetitions, in ascending order.
#pragma once

#include "../core/Tensor.h"

namespace gradtidy::runtime {

/// The values of a tensor; where in them each element is, in the shape of `self`; and how many
/// there are of each. What was not asked for is empty. They are sorted, whatever `sorted` says.
std::tuple<Tensor, Tensor, Tensor> _unique2(const Tensor &self, bool sorted = true,
                                            bool returnInverse = false, bool returnCounts = false);
/// The same of the slices along `dim`, all of it whether asked for or not.
std::tuple<Tensor, Tensor, Tensor> unique_dim(const Tensor &self, int64_t dim, bool sorted = true,
                                              bool returnInverse = false,
                                              bool returnCounts = false);

/// The values without those that follow an equal one; the rest as above.
std::tuple<Tensor, Tensor, Tensor> unique_consecutive(const Tensor &self,
                                                      bool returnInverse = false,
                                                      bool returnCounts = false,
                                                      optional<int64_t> dim = nullopt);
std::tuple<Tensor, Tensor> _unique(const Tensor &self, bool sorted = true,
                                   bool returnInverse = false);

} // namespace gradtidy::runtime
