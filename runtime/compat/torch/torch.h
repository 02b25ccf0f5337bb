// The runtime under LibTorch's names: a program written for LibTorch compiles against it unchanged.
// The other headers of this folder are here because programs include them by name; each is all of
// this one.
#pragma once

#include "../../Runtime.h"

// LibTorch's header brings these in, and programs rely on it.
#include <algorithm>
#include <cassert>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <list>
#include <map>
#include <mutex>
#include <numeric>
#include <sstream>
#include <thread>
#include <unordered_map>

namespace torch {
using namespace gradtidy::runtime;
}
namespace at {
using namespace gradtidy::runtime;
}
namespace c10 {
using namespace gradtidy::runtime;
}
namespace c10d {
using namespace gradtidy::runtime::distributed;
}
