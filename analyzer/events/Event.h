#pragma once
namespace gradtidy { struct Event {}; }
