#pragma once

#include "../../torch.h"

#include "../../../../nn/DataParallel.h"
