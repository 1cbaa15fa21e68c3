/* The C interface of locdyn: frictional contact problems U = B + W R, and scenes of bodies stepped through time.
 *
 * Calls.     Every function that can fail returns a locdyn_status and gives its results through pointers. Where it is
 *            not LOCDYN_OK nothing has changed but what the function says, results are left alone, and
 *            locdyn_last_error() tells in one line what was expected, what was found and where. A solve or a step that
 *            does not converge is no failure of the call: its report says so.
 * Ownership. Problems and scenes are made by this library and ended by locdyn_problem_free and locdyn_scene_free. Every
 *            array and struct belongs to the caller and is copied from or into; texts that are returned belong to the
 *            library. A pointer that is NULL, was freed or is no handle of that kind is refused.
 * Structs.   Options and reports begin with their size: the caller sets `size` to sizeof of the struct, the library
 *            refuses another one. That holds a program to the header that it was compiled with.
 * Threads.   Any number of threads may call at once, each with handles of its own; one handle serves one thread at a
 *            time. Files are read and written by one thread at a time, which HDF5 asks for; a program that calls HDF5
 *            itself keeps its calls apart from these.
 * Units.     SI, angles in rad, double precision. Vectors are three numbers; arrays of vectors have no gaps. Local
 *            frames are right-handed (t1, t2, n): n is the third, from master to slave, and R_n >= 0 presses.
 * Bits.      The same input gives the same bits, on any number of threads.
 */
#ifndef LOCDYN_H
#define LOCDYN_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** What a call came to. */
typedef enum locdyn_status {
  LOCDYN_OK = 0,            /**< done */
  LOCDYN_BAD_INPUT = 1,     /**< an argument, a number or a handle is not what the function takes */
  LOCDYN_FILE_ERROR = 2,    /**< a file or a scene is missing, damaged or cannot be written */
  LOCDYN_STEP_FAILED = 3,   /**< a step could not be taken; the scene is as it was before it */
  LOCDYN_OUT_OF_MEMORY = 4, /**< there was no memory for it */
  LOCDYN_INTERNAL_ERROR = 5 /**< a fault of the library: please report it with the line */
} locdyn_status;

/** The version of the library that runs, "0.2.0". Never NULL, valid for good. */
const char *locdyn_version(void);

/** One line on the last call of this thread that did not return LOCDYN_OK; "" before the first. Never NULL; valid until
 *  the next such call of this thread. */
const char *locdyn_last_error(void);

/* --- problems ---------------------------------------------------------------------------------------------------- */

/** A contact problem: find R with U = B + W R and, for each contact of friction mu,
 *  K contains R, orthogonal to U + mu |U_t| n in the dual of K, where K = {|R_t| <= mu R_n}. */
typedef struct locdyn_problem locdyn_problem;

/** A problem of n contacts from W (3n x 3n) in compressed rows, as scipy.sparse.csr_matrix holds it; rows and columns
 *  3k, 3k + 1, 3k + 2 are t1, t2 and n of contact k.
 *  row_pointers (3n + 1) ascend from 0; columns and values have row_pointers[3n] entries, in any order, and entries that
 *  come twice are added; b (3n); friction (friction_count), mu >= 0 of each contact (n) or one for all (1). R is in N
 *  where W is h H inv(A) H^T, in N s where it is H inv(A) H^T. R = 0 at first. *problem gets the handle.
 *  LOCDYN_BAD_INPUT where a pointer is NULL, friction_count is neither, or a pointer, column or number is out of range
 *  or not finite. Cost: one pass over W. */
locdyn_status locdyn_problem_from_csr(size_t contacts, const int *row_pointers, const int *columns,
                                      const double *values, const double *b, const double *friction,
                                      size_t friction_count, locdyn_problem **problem);

/** The same from W by rows of 3 x 3 blocks, as scipy.sparse.bsr_matrix holds it: row_pointers (n + 1) and columns are of
 *  blocks, values nine for each of `columns`, a block row by row. */
locdyn_status locdyn_problem_from_bsr(size_t contacts, const int *row_pointers, const int *columns,
                                      const double *values, const double *b, const double *friction,
                                      size_t friction_count, locdyn_problem **problem);

/** A problem from an FCLIB file (HDF5; local or global, 2D, 3D or rolling). A global one is condensed to its contacts.
 *  `path` is UTF-8. LOCDYN_FILE_ERROR where the file is missing, damaged or holds another thing. */
locdyn_status locdyn_problem_read(const char *path, locdyn_problem **problem);

/** Writes an FCLIB file of the kind that the problem was read from, else a local one; with the R that it holds as its
 *  solution where with_solution is not 0. The file is whole or not there. LOCDYN_FILE_ERROR where it cannot be
 *  written, LOCDYN_BAD_INPUT where a file has no place for its laws. */
locdyn_status locdyn_problem_write(locdyn_problem *problem, const char *path, int with_solution);

/** Ends the problem. NULL is let pass; LOCDYN_BAD_INPUT for what was freed before or is no problem. */
locdyn_status locdyn_problem_free(locdyn_problem *problem);

/** How many there are of what. */
typedef struct locdyn_problem_size {
  size_t size;        /**< sizeof(locdyn_problem_size), set by the caller */
  size_t contacts;    /**< of all laws with friction */
  size_t constraints; /**< contacts and bilateral ones */
  size_t rows;        /**< rows of three numbers: one a contact, two where it rolls, one or two a bilateral one */
  size_t blocks;      /**< 3 x 3 blocks of W that are stored, those of the diagonal among them */
} locdyn_problem_size;

/** Fills *sizes. Cost: one pass over the constraints. */
locdyn_status locdyn_problem_get_size(locdyn_problem *problem, locdyn_problem_size *sizes);

/** W in rows of 3 x 3 blocks, columns ascending: row_pointers (rows + 1), columns (blocks), values (9 blocks). */
locdyn_status locdyn_problem_get_matrix(locdyn_problem *problem, int *row_pointers, int *columns, double *values);

/** The vectors of a problem, three numbers a row, (t1, t2, n) for a contact; the second row of one that rolls is moments
 *  over a length and spins times it, so that every row is a force and a velocity. */
typedef enum locdyn_vector {
  LOCDYN_B = 0, /**< B [m/s], the relative velocity without reactions */
  LOCDYN_U = 1, /**< U [m/s] = B + W R, of the last solve or residual */
  LOCDYN_R = 2  /**< R [N or N s]: the start of the next solve, the best iterate of the last */
} locdyn_vector;

/** Copies one of the vectors, a locdyn_vector, into `values`; count must be 3 rows. */
locdyn_status locdyn_problem_get_vector(locdyn_problem *problem, int which, double *values, size_t count);

/** Sets B or R from `values`, finite numbers; count must be 3 rows. LOCDYN_BAD_INPUT for LOCDYN_U, which follows,
 *  and for B of a global problem, which follows from its loads. */
locdyn_status locdyn_problem_set_vector(locdyn_problem *problem, int which, const double *values, size_t count);

/** mu of each constraint in order; NaN where it is bilateral. count must be `constraints`. */
locdyn_status locdyn_problem_get_friction(locdyn_problem *problem, double *friction, size_t count);

/* --- solvers ----------------------------------------------------------------------------------------------------- */

/** How many solvers there are. */
size_t locdyn_solver_count(void);

/** The name of solver `index`, "auto" first; NULL from locdyn_solver_count() on. Valid for good. */
const char *locdyn_solver_name(size_t index);

/** Which residual a solve is stopped by. */
typedef enum locdyn_measure {
  LOCDYN_SCALED = 0,   /**< locdyn_residual.scaled */
  LOCDYN_RELATIVE = 1, /**< locdyn_residual.relative */
  LOCDYN_ABSOLUTE = 2  /**< locdyn_residual.absolute */
} locdyn_measure;

/** How to solve. Fill it by locdyn_solve_options_init, then change what should differ. */
typedef struct locdyn_solve_options {
  size_t size;            /**< sizeof(locdyn_solve_options) */
  const char *solver;     /**< a name of locdyn_solver_name; "auto" */
  double tolerance;       /**< on the measure, > 0; 1e-8 */
  int measure;            /**< a locdyn_measure; LOCDYN_SCALED */
  double max_seconds;     /**< wall clock, > 0; infinity */
  long max_iterations;    /**< >= 0; 1000000 */
  int threads;            /**< >= 1; 1 */
  int facets;             /**< of a friction pyramid, >= 3; 8. The other solvers do not look at it */
} locdyn_solve_options;

/** Fills *options with the defaults above; size must be sizeof(locdyn_solve_options). */
locdyn_status locdyn_solve_options_init(locdyn_solve_options *options, size_t size);

/** How a solve or a step ended. */
typedef enum locdyn_outcome {
  LOCDYN_CONVERGED = 0,      /**< the residual met the tolerance */
  LOCDYN_MAX_ITERATIONS = 1, /**< the limit of iterations or of work came first */
  LOCDYN_MAX_TIME = 2,       /**< the limit of time came first */
  LOCDYN_STALLED = 3,        /**< no further progress in rounding or in the method */
  LOCDYN_DIVERGED = 4,       /**< the residual grew beyond recovery */
  LOCDYN_BROKE_DOWN = 5      /**< the method broke down: a singular factor, a ray */
} locdyn_outcome;

/** The name of a locdyn_outcome: "converged", "max_iterations", ... Never NULL: "unknown" for another number. Valid for good. */
const char *locdyn_outcome_name(int outcome);

/** How well R holds: judged from W, B, R and the laws alone, whatever solved it. */
typedef struct locdyn_residual {
  size_t size;            /**< sizeof(locdyn_residual), set by the caller */
  double scaled;          /**< a velocity over a velocity, the same in any units: the one that counts */
  double relative;        /**< absolute over |b|, as published profiles have it */
  double absolute;        /**< |R - P_K(R - U^)| */
  double floor;           /**< what rounding of R alone costs `scaled` */
  double cone;            /**< largest |R_t| - mu R_n or -R_n [N] */
  double penetration;     /**< largest -U_n [m/s] */
  double complementarity; /**< largest |R_n U_n| [W] */
  int64_t worst;          /**< the constraint that adds most to `scaled`; -1 where there is none */
} locdyn_residual;

/** What a solve tells of itself. */
typedef struct locdyn_solve_report {
  size_t size;            /**< sizeof(locdyn_solve_report), set by the caller */
  locdyn_outcome outcome; /**< never hidden: R is the best iterate found where it is not LOCDYN_CONVERGED */
  char solver[32];        /**< the one that finished */
  char reason[256];       /**< one clause where it did not converge, else empty */
  int64_t iterations;     /**< sweeps, Newton steps or pivots, by the solver's own count */
  double own_residual;    /**< what the stopping test saw: of a pyramid its own residual, else the measure */
  double seconds;         /**< the whole call */
} locdyn_solve_report;

/** Solves from the R that the problem holds and leaves the best iterate there, U beside it. `options` may be NULL: the
 *  defaults; `report` may be NULL. LOCDYN_BAD_INPUT for options out of range, a solver that is not there or does not
 *  take the problem's laws, or a constraint that no R satisfies. */
locdyn_status locdyn_solve(locdyn_problem *problem, const locdyn_solve_options *options, locdyn_solve_report *report);

/** Judges the R that the problem holds, and leaves U = B + W R in it. Cost: one product W R. */
locdyn_status locdyn_problem_residual(locdyn_problem *problem, locdyn_residual *residual);

/* --- scenes ------------------------------------------------------------------------------------------------------ */

/** Bodies, shapes, joints and forces as a scene describes them, at some time. */
typedef struct locdyn_scene locdyn_scene;

/** A scene from a JSON file. LOCDYN_FILE_ERROR where it is missing, says something that a scene does not have, bodies
 *  overlap, or it is a mechanism ("smooth" or "kinematics"); the line says where in the file. */
locdyn_status locdyn_scene_read(const char *path, locdyn_scene **scene);

/** The same from `text`, UTF-8 that ends with 0. Files that it names lie relative to `folder`; NULL: to the working
 *  directory. */
locdyn_status locdyn_scene_parse(const char *text, const char *folder, locdyn_scene **scene);

/** locdyn_scene_read and locdyn_scene_parse refuse a mesh or a robot outside the scene's folder, and a robot's mesh
 *  there. This one reads a scene that you trust from `path`, wherever the files that it names lie. */
locdyn_status locdyn_scene_read_trusted(const char *path, locdyn_scene **scene);

/** Ends the scene. NULL is let pass; LOCDYN_BAD_INPUT for what was freed before or is no scene. */
locdyn_status locdyn_scene_free(locdyn_scene *scene);

/** What a step tells of itself. */
typedef struct locdyn_step_report {
  size_t size;             /**< sizeof(locdyn_step_report), set by the caller */
  int64_t step;            /**< counts from 1 */
  double time;             /**< at the end of the step [s] */
  size_t contacts;         /**< in the problem, open ones included; those of what sleeps are not */
  size_t constraints;      /**< of all kinds */
  size_t islands;          /**< parts of the problem that share no body */
  size_t sleeping;         /**< bodies */
  locdyn_outcome outcome;  /**< the worst of all islands */
  char warning[256];       /**< one line where a solve did not converge, else empty */
  int64_t iterations;      /**< of all islands */
  double residual;         /**< scaled, the worst of all islands */
  double penetration;      /**< largest -gap at mid-step, >= 0 [m] */
  double joint_error;      /**< largest error of position in hard joints [m] */
  double kinetic_energy;   /**< [J] */
  double potential_energy; /**< [J] */
  double seconds;          /**< the whole step */
} locdyn_step_report;

/** One step of the scene's step size. `report` may be NULL. LOCDYN_STEP_FAILED where the scene's policy is "stop" and
 *  the step did not converge (the report is filled all the same), a body finds no velocity, or numbers leave the range
 *  of double precision. */
locdyn_status locdyn_scene_step(locdyn_scene *scene, locdyn_step_report *report);

/** Where the scene is in time, its step size, and the duration that it asks for [s]. Each pointer may be NULL. */
locdyn_status locdyn_scene_get_time(locdyn_scene *scene, double *time, double *step, double *duration);

/** The number of bodies, obstacles included. They are numbered from 0 in the order of the scene. */
locdyn_status locdyn_scene_get_body_count(locdyn_scene *scene, size_t *count);

/** *name gets the name of a body, "" where it has none; it belongs to the scene. */
locdyn_status locdyn_scene_get_body_name(locdyn_scene *scene, size_t body, const char **name);

/** *body gets the number of the body of that name. LOCDYN_BAD_INPUT where there is none. */
locdyn_status locdyn_scene_find_body(locdyn_scene *scene, const char *name, size_t *body);

/** Where all n bodies are and how they move, in space. positions (3n) [m] of the mass centre, of an obstacle of its
 *  reference point; orientations (4n), unit quaternions (w, x, y, z) from body to space; velocities (3n) [m/s] of the
 *  same points; angular_velocities (3n) [rad/s]. Each pointer may be NULL. `bodies` must be n. */
locdyn_status locdyn_scene_get_states(locdyn_scene *scene, size_t bodies, double *positions, double *orientations,
                                      double *velocities, double *angular_velocities);

/** What a contact does. */
typedef enum locdyn_contact_state {
  LOCDYN_OPEN = 0,   /**< R_n = 0 */
  LOCDYN_STICKS = 1, /**< R within the cone */
  LOCDYN_SLIDES = 2  /**< R on its edge, to 1e-6 of mu R_n */
} locdyn_contact_state;

/** A contact of the last step. */
typedef struct locdyn_contact {
  uint64_t identity;          /**< the same for as long as the contact lasts */
  size_t master, slave;       /**< bodies; the normal points from the first to the second */
  double point[3];            /**< in space, at mid-step [m] */
  double t1[3], t2[3], n[3];  /**< the local frame, in space */
  double gap;                 /**< [m], > 0 open */
  double reaction[3];         /**< (t1, t2, n), on the slave, mean over the step [N] */
  double moment[3];           /**< of rolling and torsional friction (t1, t2, n), on the slave [N m] */
  locdyn_contact_state state; /**< open, sticks, slides */
} locdyn_contact;

/** *count gets the number of contacts of the last step, open ones included; `contacts` the first `capacity` of them.
 *  item_size must be sizeof(locdyn_contact). With capacity 0, `contacts` may be NULL: that asks for the number. */
locdyn_status locdyn_scene_get_contacts(locdyn_scene *scene, locdyn_contact *contacts, size_t item_size,
                                        size_t capacity, size_t *count);

/** Writes all that the scene needs to go on from here bit for bit. The file is whole or as it was before. */
locdyn_status locdyn_scene_write_checkpoint(locdyn_scene *scene, const char *path);

/** Goes on from a checkpoint of the same scene. LOCDYN_FILE_ERROR where the file is damaged or of another scene. */
locdyn_status locdyn_scene_read_checkpoint(locdyn_scene *scene, const char *path);

#ifdef __cplusplus
}
#endif

#endif
