#pragma once

#include <torch/torch.h>

namespace at::autocast {
void set_enabled(bool enabled);
void clear_cache();
int increment_nesting();
int decrement_nesting();
void set_autocast_cache_enabled(bool enabled);
} // namespace at::autocast
