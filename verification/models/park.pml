/* park.pml: nobody sleeps through what it waits for.
 *
 * Modelled: Progress (Advance, Signal, Arm, ArmUnfenced, Disarm, LeaveParkingRegime, StoreNearest, SignalAll) with its
 * list of waiters, ParkWaiter, ParkWaiting.Sleep, Gate; the calm and the parking regime and the way back; one publisher
 * that advances a cell, or (MULTI) two that stamp sequences of one ring, as in MultiClaimer.PublishFast and Settle.
 *
 * Checked: a lost wake-up leaves a sleeper behind, which is an invalid end state; no waiter is linked twice; nobody is
 * signalled who has not armed.
 *
 * Memory: total store order. Every thread has a FIFO store buffer, which drains at any time; a load sees the thread's own
 * stores first; Interlocked.MemoryBarrier and taking a monitor drain it; leaving a monitor is an ordinary store (release),
 * so it drains nothing. MemoryBarrierProcessWide drains each thread's buffer in turn within the call. What only changes
 * under the gate, or belongs to who holds the link, is not buffered.
 *
 * Abstracted: spinning (a look, then arming); interrupts. ControlWord and WakeAll are in lifecycle.pml. LEAVES bounds how
 * often the regime is left.
 *
 * Parameters: K sequences, W waiters, each of which waits for 1..K in turn; MULTI; TIMED (the last waiter sleeps for a
 * time, armed by ArmUnfenced; without it, CANCEL: its sleep may end early, armed as the others); D entries a store buffer.
 *
 * Seeded faults: see the names FAULT_ below. HARMLESS_FARTHEST_LAST is none: `farthest` stored behind `nearest` loses
 * nothing, as both are behind the same fence, and who is being armed looks again after it; those armed before are between
 * the old and the new values alike.
 */
#ifndef K
#define K 2
#endif
#ifndef W
#define W 2
#endif
#ifndef D
#define D 4
#endif
#ifndef LEAVES
#define LEAVES 1
#endif
#ifdef MULTI
#define PUBLISHERS 2
#else
#define PUBLISHERS 1
#endif
#define THREADS (PUBLISHERS + W)

#define CALM 0
#define NOBODY 99                       /* Progress.Nobody */
#define NO_WAITER 255

/* memory: the cells of Progress, the lock word of its gate, and a stamp for each sequence */
#define NEAREST 0
#define FARTHEST 1
#define GATE 2
#define VALUE 3
#define CELLS (VALUE + K + 1)
byte mem[CELLS];
byte where[THREADS * D]; byte what[THREADS * D]; byte pending[THREADS];

bool ownerFences;                       /* Progress._ownerFences, under the gate */
byte armed = NO_WAITER;                 /* Progress._armed, under the gate */
byte link[W] = NO_WAITER;               /* Waiter.NextArmed */
byte awaited[W];                        /* Waiter.Awaited */
bool linked[W];                         /* in the list: for the assertions only */
bool signalled[W];                      /* ParkWaiter._signalled */
byte leaves = LEAVES;

inline Flush(t) {
    mem[where[(t) * D]] = what[(t) * D];
    k = 0;
    do
    :: k + 1 < pending[t] -> where[(t) * D + k] = where[(t) * D + k + 1]; what[(t) * D + k] = what[(t) * D + k + 1]; k++
    :: else -> break
    od;
    where[(t) * D + k] = 0; what[(t) * D + k] = 0; k = 0; pending[t]--
}

/* Interlocked.MemoryBarrier */
inline Fence(t) { d_step { do :: pending[t] > 0 -> Flush(t) :: else -> break od; k = 0 } }

inline ProcessWide() {
    Fence(me);
    j = 0;
    do :: j < THREADS -> Fence(j); j++ :: else -> j = 0; break od
}

inline Store(cell, x) {
    d_step { pending[me] < D -> where[me * D + pending[me]] = cell; what[me * D + pending[me]] = x; pending[me]++ }
}

inline Load(cell, x) {
    d_step {
        x = mem[cell]; k = 0;
        do
        :: k < pending[me] -> if :: where[me * D + k] == cell -> x = what[me * D + k] :: else fi; k++
        :: else -> break
        od;
        k = 0
    }
}

inline Enter() { atomic { mem[GATE] == 0 -> Fence(me); mem[GATE] = 1 } }
inline Exit() { Store(GATE, 0) }

inline StoreNearest() {
    d_step {
        near = NOBODY; far = 0; i = armed;
        do
        :: i != NO_WAITER ->
            if :: awaited[i] + 1 < near -> near = awaited[i] + 1 :: else fi;
            if :: awaited[i] > far -> far = awaited[i] :: else fi;
            i = link[i]
        :: else -> break
        od;
        i = 0
    };
#ifdef HARMLESS_FARTHEST_LAST
    Store(NEAREST, near); Store(FARTHEST, far);
#else
    Store(FARTHEST, far); Store(NEAREST, near);
#endif
    d_step { near = 0; far = 0 }
}

/* Progress.LeaveParkingRegime */
inline Leave() {
    Load(NEAREST, near);
    if
    :: near != NOBODY
    :: else ->
        Enter();
        if
#ifdef FAULT_LEAVE_ARMED                /* does not look again, under the gate, whether somebody has armed */
        :: true ->
#else
        :: armed == NO_WAITER ->
#endif
#ifndef FAULT_LEAVE_FORGETS             /* the next to arm takes the old barrier for its own */
            ownerFences = 0;
#endif
            Store(NEAREST, CALM)
        :: else
        fi;
        Exit()
    fi;
    near = 0
}

inline MayLeave() {
    if
    :: atomic { leaves > 0 -> leaves-- }; Leave()
    :: skip
    fi
}

/* Progress.Signal */
inline Signal(low, high) {
#ifndef FAULT_NO_SIGNAL_FENCE           /* the second look at `nearest` passes the store of the value */
    Fence(me);
#endif
    Load(NEAREST, near);
    if :: near == NOBODY -> MayLeave() :: else fi;                  /* Progress.CountFence */
    if
    :: near == CALM || near == NOBODY || high + 1 < near
    :: else ->
        Load(FARTHEST, far);
        if
        :: low > far
        :: else ->
            Enter();
            d_step {
                i = armed; armed = NO_WAITER; woken = NO_WAITER;
                do
                :: i == NO_WAITER -> break
                :: else ->
                    then = link[i];
                    if
                    :: awaited[i] >= low && awaited[i] <= high -> link[i] = woken; woken = i; linked[i] = 0
                    :: else ->
#ifdef FAULT_FORGETS_OTHERS             /* drops the waiters whose sequence is not covered */
                        linked[i] = 0
#else
                        link[i] = armed; armed = i
#endif
                    fi;
                    i = then
                od;
                i = 0; then = 0
            };
            StoreNearest();
            Exit();
            /* Progress.SignalAll */
            do
            :: woken == NO_WAITER -> break
            :: else ->
#ifdef FAULT_STALE_LINK                 /* reads the link after the signal, when the waiter may have armed again */
                signalled[woken] = 1;
                woken = link[woken]
#else
                atomic { then = link[woken]; link[woken] = NO_WAITER };
                atomic { assert(!signalled[woken]); signalled[woken] = 1; woken = then; then = 0 }
#endif
            od
        fi
    fi;
    atomic { near = 0; far = 0 }
}

proctype Publisher(byte me) {
    byte s, near, far, i, j, k, then, woken = NO_WAITER;
    for (s : 1 .. K) {
#ifdef MULTI
        if
        :: s % 2 != me -> skip
        :: else ->
            Store(VALUE + s, 1);        /* Availability.Publish */
            Load(NEAREST, near);
            if :: near != CALM -> Signal(s, s) :: else near = 0 fi
        fi
#else
#ifdef FAULT_LOOK_FIRST                 /* loads `nearest` before it stores its value */
        Load(NEAREST, near);
        Store(VALUE, s);
#else
        Store(VALUE, s);                /* Progress.Advance */
        Load(NEAREST, near);
#endif
        if :: near != CALM -> Signal(0, s) :: else near = 0 fi
#endif
    }
    s = 0
}

/* Progress.IsReached */
inline IsReached() {
#ifdef MULTI
    Load(VALUE + want, seen)
#else
    d_step { Load(VALUE, seen); seen = (seen >= want) }
#endif
}

/* Progress.Disarm */
inline Disarm() {
    Enter();
    d_step {
        found = linked[w]; i = armed; armed = NO_WAITER;
        do
        :: i == NO_WAITER -> break
        :: else ->
            then = link[i];
            if :: i == w -> linked[i] = 0; link[i] = NO_WAITER :: else -> link[i] = armed; armed = i fi;
            i = then
        od;
        i = 0; then = 0
    };
    if :: found -> StoreNearest() :: else fi;
    Exit()
}

proctype Waiting(byte me) {
    byte want, w, seen, near, far, i, j, k, then; bool found, took, first;
    w = me - PUBLISHERS;
    want = 1;
    do
    :: want > K -> break
    :: else ->
        IsReached();
        if
        :: seen -> want++
        :: else ->
            /* Progress.Arm, ArmUnfenced */
            Enter();
            d_step { assert(!linked[w]); linked[w] = 1; awaited[w] = want; link[w] = armed; armed = w };
            StoreNearest();
#ifdef TIMED
            if
            :: w == W - 1 -> Exit()
            :: else ->
#endif
            first = !ownerFences;
            ownerFences = 1;
#ifdef FAULT_BARRIER_OUTSIDE            /* the first to park issues its barrier behind the gate */
            Exit();
#endif
            if
#ifndef FAULT_NO_PROCESS_WIDE           /* a fence of its own in place of the process-wide one */
            :: first -> ProcessWide()
#endif
            :: else ->
#ifndef FAULT_NO_SECOND_FENCE           /* the later ones of a regime do not fence */
                Fence(me)
#else
                skip
#endif
            fi;
#ifndef FAULT_BARRIER_OUTSIDE
            Exit();
#endif
#ifdef TIMED
            fi;
#endif
            first = 0;
            /* ParkWaiting.Sleep */
#ifdef FAULT_NO_SECOND_LOOK             /* sleeps without looking again */
            seen = 0;
#else
            IsReached();
#endif
            found = 0;
            if
            :: seen -> Disarm()
            :: else
            fi;
            if
#ifdef FAULT_DISARM_IGNORED             /* goes on although its signal is on its way */
            :: seen
#else
            :: found
#endif
            :: else ->
                if
                :: atomic { signalled[w] -> signalled[w] = 0; took = 1 }
#if defined(TIMED) || defined(CANCEL)
                :: w == W - 1 -> took = 0
#endif
                fi;
                if
                :: took
                :: else ->
                    Disarm();
                    if
#ifdef FAULT_NO_AWAIT_SIGNAL            /* arms anew while a signal still walks its link */
                    :: !found
#else
                    :: !found -> atomic { signalled[w] -> signalled[w] = 0 }
#endif
                    :: else
                    fi
                fi
            fi;
            atomic { found = 0; took = 0; seen = 0 }
        fi
    od;
    atomic { want = 0; seen = 0; w = 0 }
}

/* Every store buffer drains by itself, at any time. */
proctype Drains(byte t) {
    byte k;
end: do :: d_step { pending[t] > 0 -> Flush(t) } od
}

init {
    atomic {
        byte t;
        t = 0; do :: t < PUBLISHERS -> run Publisher(t); t++ :: else -> break od;
        do :: t < THREADS -> run Waiting(t); t++ :: else -> break od;
        t = 0; do :: t < THREADS -> run Drains(t); t++ :: else -> break od;
        t = 0
    }
}
