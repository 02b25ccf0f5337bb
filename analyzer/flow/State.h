#pragma once
namespace gradtidy { struct State {}; }
