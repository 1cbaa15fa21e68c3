#pragma once
// Vector registers read from any address: they belong to all folders.

#include <locdyn/base/lanes_anywhere.hpp>
