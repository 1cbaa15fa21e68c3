#pragma once
// What the processor offers: it belongs to all folders.

#include <locdyn/base/instruction_set.hpp>
