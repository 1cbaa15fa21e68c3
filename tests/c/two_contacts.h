/* Two contacts that share nothing: W = 2 I. The first presses and slides, the second opens.
 *   contact 0: B = (1, 0, -1), mu = 0.25:  R_n = 1/2, R_t = -mu R_n (1, 0), U = (1 - 2/8, 0, 0) = (0.75, 0, 0)
 *   contact 1: B = (0, 0, 3):              R = 0, U = B */
#ifndef LOCDYN_TESTS_C_TWO_CONTACTS_H
#define LOCDYN_TESTS_C_TWO_CONTACTS_H

static const int kRowPointers[7] = {0, 1, 2, 3, 4, 5, 6};
static const int kColumns[6] = {0, 1, 2, 3, 4, 5};
static const double kValues[6] = {2, 2, 2, 2, 2, 2};
static const double kB[6] = {1, 0, -1, 0, 0, 3};
static const double kFriction[1] = {0.25};
static const double kR[6] = {-0.125, 0, 0.5, 0, 0, 0};
static const double kU[6] = {0.75, 0, 0, 0, 0, 3};

#endif
