#include <locdyn/contact/coulomb_cone.hpp>
