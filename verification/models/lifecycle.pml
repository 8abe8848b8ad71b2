/* lifecycle.pml: a ring ends once, everybody ends with it, and nothing accepted is lost.
 *
 * Modelled: Ring (StartAsync, Complete, DrainAsync, HaltAsync, DisposeAsync, Fail, Finish, FinishAsync, Seal, IsInTime,
 * SweepUpAll, WakeEverybody), Control, Driver (Launch, EndIfNeverLaunched), Stage (StepOnce, ReadUpstream, NextTarget,
 * StepForCaller, TryEndAtCaller), SingleClaimer (PublishFast without announcement, Announce, Settle), Claimer.WaitForRoom,
 * Progress.Release.
 *
 * Checked: what a producer was told is accepted is either handled by every stage or counted as unprocessed, once; what was
 * refused is neither; after a drain everything accepted is handled, and a drain alone refuses no claim that was announced;
 * no slot is handled after it was taken back; everybody ends (a sleeper left behind is an invalid end state).
 *
 * Memory: the producer's stores of cursor and announcement go through a FIFO store buffer (total store order), which
 * drains at any time, at the producer's own fences, and at process-wide barriers. The other threads' stores take effect at
 * once: each is followed by a barrier, an interlocked operation or the leaving of a gate before the thread looks at what
 * another may have stored in return. A cell's gate is one step, and so is arming: park.pml takes those apart.
 *
 * Abstracted: one producer, a claim is one slot; a drain looks at its target whenever that may have changed (the code: when
 * woken, and every 20 ms); hooks, policies, groups, detaching.
 *
 * Parameters: N slots, M items the producer tries, C stages in a row; CALLER: its user steps the first stage. Who ends the
 * ring, any of them at once: COMPLETE, DRAIN, HALT, DISPOSE (a drain that may time out, then a halt), FAIL. NOSTART: it is
 * never started. CLAIMS: the producer announces; without it, it publishes unannounced; with BOTH it chooses.
 *
 * Seeded faults: see the names FAULT_ below.
 */
#ifndef N
#define N 1
#endif
#ifndef M
#define M 2
#endif
#ifndef C
#define C 1
#endif

#define NEVER 200                       /* Sequencer.Final before the seal */
#define AWAKE 99
#define LAST (C - 1)
#define PRODUCER C                      /* waiters: the stages, then the producer */
/* cells to wait on: 0 is the cursor, 1 + c the progress of stage c */

byte cursor; byte announced;            /* one past: Lane.Published, Lane.Claimed */
byte where[2 * M + 2]; byte what[2 * M + 2]; byte pending;     /* the producer's store buffer */
byte done[C];                           /* one past: Stage.Done */
bool calm = 1; bool ownerFences;         /* the cursor's regime: Progress._nearest is 0; Progress._ownerFences */
bool released;                          /* Progress._released of the cursor */
byte final = NEVER;                     /* Sequencer.Final, one past */
bool closed; bool halted; byte changes; /* Control */
byte armedOn[C + 1] = AWAKE; byte wanted[C + 1]; bool signalled[C + 1];

bool gate;                              /* Ring._gate, and what is under it: */
bool started; bool finishing; bool faulted; bool sealing; byte inTime;
bool launched[C]; bool running[C]; bool over[C];               /* Driver._launched, a thread to run, Ended */
bool stepping;                          /* Stage._stepping */
bool completion; bool drained;

bool accepted[M]; bool refused[M]; bool unprocessed[M];
byte slot[N];
bool sweptUp;                           /* slots have been taken back */
byte left;                              /* threads that have yet to end */

#define CURSOR 1
#define ANNOUNCED 2

inline Flush() {
    if :: where[0] == CURSOR -> cursor = what[0] :: else -> announced = what[0] fi;
    k = 0;
    do
    :: k + 1 < pending -> where[k] = where[k + 1]; what[k] = what[k + 1]; k++
    :: else -> break
    od;
    where[k] = 0; what[k] = 0; k = 0; pending--
}

/* A fence of the producer's, or a process-wide barrier of anybody's. */
inline Barrier() { d_step { do :: pending > 0 -> Flush() :: else -> break od; k = 0 } }
inline Store(cell, x) { d_step { where[pending] = cell; what[pending] = x; pending++ } }

inline Enter() { atomic { !gate -> gate = 1 } }
inline Exit() { gate = 0 }

/* Progress.WakeAll, and Signal for those whose sequence is covered */
inline WakeAll(cell) { d_step { k = 0; do :: k <= C -> if :: armedOn[k] == cell -> armedOn[k] = AWAKE; signalled[k] = 1 :: else fi; k++ :: else -> k = 0; break od } }
inline WakeReached(cell, value) { d_step { k = 0; do :: k <= C -> if :: armedOn[k] == cell && wanted[k] <= value -> armedOn[k] = AWAKE; signalled[k] = 1 :: else fi; k++ :: else -> k = 0; break od } }

/* Ring.WakeEverybody */
inline WakeEverybody() { w = 0; do :: w <= C -> WakeAll(w); w++ :: else -> w = 0; break od }

#define REACHED(cell, value) (((cell) == 0 && cursor >= (value)) || ((cell) > 0 && done[((cell) > 0 -> (cell) - 1 : 0)] >= (value)))

/* Waiting.Idle with a WaitTarget: arm, look again; asleep says that the caller is to sleep until signalled. The first to arm in a regime issues a process-wide barrier. */
inline Arm(who, cell, value) {
    atomic {
        armedOn[who] = cell; wanted[who] = value;
        if :: cell == 0 -> calm = 0; if :: !ownerFences -> ownerFences = 1; Barrier() :: else fi :: else fi
    };
    if
    :: atomic { (REACHED(cell, value) || changes != seen) -> skip };
        atomic { if :: armedOn[who] == cell -> armedOn[who] = AWAKE :: else signalled[who] = 0 fi }
    :: else -> asleep = 1
    fi
}

/* Ring.Seal */
inline Seal() {
    Enter();
    if
    :: !sealing ->
        sealing = 1;
        final = 0;
#ifdef FAULT_RELEASE_FENCES             /* takes the release for the beginning of a parking regime */
        ownerFences = 1;
#endif
        atomic { released = 1; calm = 0 };      /* Progress.Release */
        WakeAll(0);
#ifndef FAULT_NO_SEAL_BARRIER           /* a commit may be in time that the ring does not see */
        Barrier();
#endif
        inTime = cursor;
        final = inTime
    :: else
    fi;
    Exit()
}

/* Ring.Finish */
inline Finish() {
    Enter();
    first = !finishing;
#ifndef FAULT_TWO_FINISH                /* whoever ends the ring also takes it apart */
    finishing = 1;
#else
    first = 1; finishing = 1;
#endif
    Exit();
#ifndef FAULT_WAKE_FIRST
    WakeEverybody();
#endif
    if :: first -> atomic { left++; run Finishing() } :: else fi;
    first = 0
}

/* Ring.Close and Ring.Fail */
inline Close(fails) {
#ifdef FAULT_WAKE_FIRST                 /* wakes, and changes the control word after that */
    WakeEverybody();
#endif
    Enter();
    if
    :: !completion && !faulted -> atomic { closed = 1; halted = 1; changes++; faulted = fails }
    :: else
    fi;
    Exit();
    Finish()
}

/* Ring.Complete */
inline Complete() {
#ifdef FAULT_WAKE_FIRST
    WakeEverybody();
#endif
    Enter();
    if
    :: !closed ->
        atomic { closed = 1; changes++ };
#ifndef FAULT_NO_CLOSE_BARRIER          /* a claim may be announced that the drain does not see */
        Barrier()
#endif
    :: else
    fi;
    Exit();
#ifndef FAULT_WAKE_FIRST
    WakeEverybody()
#endif
}

/* RingBuffer.EndLate */
inline EndLate() {
#ifdef FAULT_SEAL_NOT_AWAITED           /* does not wait for the seal that is under way */
    late = (next >= inTime)
#else
    Seal();
    late = (next >= inTime)
#endif
}

/* What follows a store of the cursor: Volatile.Read(_waiters), Progress.Signal */
inline Tell() {
    late = 0;
    if
    :: calm
    :: !calm ->
        Barrier();
        if
#ifdef FAULT_SILENT_RELEASE             /* wakes nobody any more once the ring is sealed */
        :: released -> EndLate()
#endif
        :: else ->
            atomic { first = released; WakeReached(0, cursor) };
            if                          /* Progress.CountFence: the owner leaves the parking regime, now and then */
            :: atomic { if :: !calm && armedOn[0] != 0 && !released -> calm = 1; ownerFences = 0 :: else fi }
            :: skip
            fi;
            if :: first -> EndLate() :: else fi
        fi;
        first = 0
    fi
}

/* Claimer.WaitForRoom; stop says that the ring is closed */
inline WaitForRoom() {
    atomic { looked = changes; stop = closed };
    if
    :: stop
    :: else ->
        limit = done[LAST] + N;
        if
        :: next < limit
        :: else ->
            atomic { seen = changes; stop = closed };
#ifdef FAULT_BLOCKED_LATE               /* waits with a word that may be that of a closed ring already */
            stop = 0; looked = seen;
#endif
            do
            :: stop || next < limit -> break
            :: else ->
                if
                :: seen == looked ->
                    Arm(PRODUCER, C, next + 1 - N);
                    if :: asleep -> atomic { signalled[PRODUCER] -> signalled[PRODUCER] = 0; asleep = 0 } :: else fi
                :: else
                fi;
                atomic { seen = changes; looked = seen; stop = closed };
                if :: stop :: else -> limit = done[LAST] + N fi
            od
        fi
    fi;
    atomic { looked = 0; seen = 0 }
}

proctype Producing() {
    byte tries, next, limit, looked, seen, k, w; bool stop, late, first, asleep;
    for (tries : 1 .. M) {
        if
        :: next < limit
        :: else -> WaitForRoom(); if :: stop -> break :: else fi
        fi;
        if
#if defined(CLAIMS) || defined(BOTH)
        ::                              /* SingleClaimer.Announce */
#ifdef FAULT_LOOK_FIRST                 /* looks whether the ring is closed, and announces after that */
            stop = closed;
            Store(ANNOUNCED, next + 1);
#else
            Store(ANNOUNCED, next + 1);
            stop = closed;
#endif
            if :: stop -> Store(ANNOUNCED, next); break :: else fi;
            if
            ::                          /* commit: SingleClaimer.Settle */
                assert(done[LAST] + N > next); slot[next % N] = next + 1;
                Store(CURSOR, next + 1);
                Store(ANNOUNCED, next + 1);
                Tell();
#if !defined(HALT) && !defined(DISPOSE) && !defined(FAIL)
                assert(!late);
#endif
                if :: late -> refused[next] = 1; break :: else -> accepted[next] = 1; next++ fi
            ::                          /* given up */
                Store(ANNOUNCED, next);
                Tell();
                late = 0
            fi
#endif
#if !defined(CLAIMS) || defined(BOTH)
        ::                              /* SingleClaimer.PublishFast */
            stop = closed;
            if :: stop -> break :: else fi;
            assert(done[LAST] + N > next); slot[next % N] = next + 1;
            Store(CURSOR, next + 1);
            Tell();
            if :: late -> refused[next] = 1; break :: else -> accepted[next] = 1; next++ fi
#endif
        fi
    }
    atomic { tries = 0; next = 0; limit = 0; stop = 0; late = 0; left-- }
}

#ifdef FAULT_NO_FINAL                   /* stages look beyond the end */
#define END NEVER
#else
#define END final
#endif

/* Stage.StepOnce: moved says whether it has handled one; stop, that it has ended */
inline StepOnce(look) {
    moved = 0;
    if
    :: look -> atomic { seen = changes; stop = halted }
    :: else
    fi;
    if
    :: stop
    :: else ->
        if
        :: id == 0 ->
            end = cursor;
            if :: END < end -> end = final :: else fi
        :: else -> end = done[(id > 0 -> id - 1 : 0)]
        fi;
        if
        :: end > next ->
            assert(!sweptUp && slot[next % N] == next + 1);
            assert(!sweptUp && slot[next % N] == next + 1);
            next++;
            moved = 1;
            atomic { done[id] = next; WakeReached(id + 1, next) }        /* Progress.Advance */
        :: else
        fi;
        end = 0
    fi
}

/* ThreadDriver.Run */
proctype Driving(byte id) {
    byte next, end, seen, k; bool moved, stop, asleep;
    assert(!over[id] && !completion);   /* its hooks run before its end */
    do
    :: StepOnce(true);
        if
        :: stop -> break
        :: moved
        :: else ->
            Arm(id, id, next + 1);
            if
            :: asleep ->
#ifdef COMPLETE
end_asleep:     /* nobody has ended the ring */
#endif
                atomic { signalled[id] -> signalled[id] = 0; asleep = 0 }
            :: else
            fi
        fi;
        moved = 0
    od;
    atomic { next = 0; seen = 0; over[id] = 1; left-- }
}

#ifdef CALLER
/* Whoever steps the first stage himself, until it says that it has stopped. */
proctype Calling() {
    byte id = 0, next, end, seen, k; bool moved, stop;
    do
    ::
#ifdef FAULT_STEP_PLAIN                 /* marks the step by a plain store, which the look at the word may pass */
        atomic { seen = changes; stop = halted };
        stepping = 1;
        StepOnce(false);
#else
        if
        :: atomic { stepping -> break }
        :: atomic { else -> stepping = 1 }
        fi;
        StepOnce(true);
#endif
        stepping = 0;
        if :: stop -> break :: else fi;
        (halted || done[0] < cursor)    /* nothing to do: it comes back later */
    od;
    atomic { next = 0; seen = 0; left-- }
}
#define DRIVEN 1
#else
#define DRIVEN 0
#endif

/* Ring.FinishAsync */
proctype Finishing() {
    byte c, s, k, w; bool first;
    c = DRIVEN;
    do
    :: c >= C -> break
    :: else ->
#ifdef FAULT_LAUNCH_SPLIT               /* a load and a store in place of the exchange */
        first = !launched[c]; launched[c] = 1;
#else
        atomic { first = !launched[c]; launched[c] = 1 };     /* Driver.EndIfNeverLaunched */
#endif
        if :: first -> over[c] = 1 :: else fi;
#ifndef FAULT_ENDED_NOT_AWAITED         /* takes slots back while a driver is still at work */
        (over[c]);
#endif
        c++
    od;
#ifdef CALLER
#ifndef FAULT_CALLER_NOT_AWAITED        /* takes slots back while the caller is inside a step */
    atomic { !stepping -> stepping = 1 };   /* Stage.TryEndAtCaller, again and again */
#endif
#endif
    Seal();
    /* Ring.SweepUpAll */
    s = done[LAST];
    do
    :: s < inTime -> assert(!unprocessed[s]); unprocessed[s] = 1; s++
    :: else -> break
    od;
    sweptUp = 1;
    WakeEverybody();
    atomic { completion = 1; c = 0; s = 0; left-- }
}

#if defined(DRAIN) || defined(DISPOSE)
#ifdef FAULT_UNLAUNCHED                 /* a stage that does not run yet is taken for one that has nothing to do */
#define PASSED(target) (done[LAST] >= target || !launched[LAST])
#else
#define PASSED(target) (done[LAST] >= target)
#endif
#define TARGET ((announced > cursor -> announced : cursor) < final -> (announced > cursor -> announced : cursor) : final)

/* Ring.DrainAsync, then (DISPOSE) Ring.Close. A drain that was not out of time waits for the ring's end, however that came. */
proctype Draining(bool mayTimeOut) {
    byte target, k, w; bool first; bool timedOut;
    Complete();
    do
    ::
        target = announced;             /* Lane.ClaimedThrough */
        if :: cursor > target -> target = cursor :: else fi;
        if :: final < target -> target = final :: else fi;
        if :: halted -> break :: else fi;
        if
        :: PASSED(target) ->
            Seal();
            if :: PASSED(inTime) -> Close(false); break :: else fi
        :: else
        fi;
        if
        :: (PASSED(TARGET) || halted) -> skip
        :: mayTimeOut -> timedOut = 1; break
        fi
    od;
    if
    :: !timedOut ->
        (completion);
        drained = !faulted && done[LAST] >= inTime;
#if !defined(HALT) && !defined(DISPOSE) && !defined(FAIL)
        assert(drained)                 /* nothing else ends the ring */
#endif
    :: else
    fi;
    if
    :: mayTimeOut -> Close(false); (completion)
    :: else
    fi;
    atomic { target = 0; timedOut = 0; left-- }
}
#endif

#ifdef HALT
proctype Halting() {
    byte k, w; bool first;
    Close(false);
    (completion);
    left--
}
#endif
#ifdef FAIL
proctype Failing() {
    byte k, w; bool first;
    Close(true);
    left--
}
#endif
#ifdef COMPLETE
proctype Completing() {
    byte k, w;
    Complete();
    left--
}
#endif
#ifndef NOSTART
/* Ring.StartAsync */
proctype Starting() {
    byte c; bool first;
    Enter();
    first = !finishing;
    started = first;
    Exit();
    if
    :: first ->
        c = DRIVEN;
        do
        :: c >= C -> break
        :: else ->
#ifdef FAULT_LAUNCH_SPLIT
            first = !launched[c]; launched[c] = 1;
#else
            atomic { first = !launched[c]; launched[c] = 1 }; /* Driver.Launch */
#endif
            if :: first -> atomic { left++; run Driving(c) } :: else fi;
            c++
        od
    :: else
    fi;
    atomic { c = 0; left-- }
}
#endif

proctype Drains() {
    byte k;
end: do :: d_step { pending > 0 -> Flush() } od
}

init {
    byte k;
    atomic {
        left = 1; run Producing(); run Drains();
#ifdef CALLER
        left++; run Calling();
#endif
#ifndef NOSTART
        left++; run Starting();
#endif
#ifdef DRAIN
        left++; run Draining(false);
#endif
#ifdef DISPOSE
        left++; run Draining(true);
#endif
#ifdef HALT
        left++; run Halting();
#endif
#ifdef FAIL
        left++; run Failing();
#endif
#ifdef COMPLETE
        left++; run Completing()
#endif
    };
#ifdef COMPLETE
end_completed:                          /* the stages sleep on */
#endif
    (left == 0);
    d_step {
        do
        :: k < M ->
#ifdef COMPLETE
            assert(!unprocessed[k] && !refused[k]);
            k++
#else
            assert(!accepted[k] || (k < done[LAST]) != unprocessed[k]);
            assert(!refused[k] || (k >= done[LAST] && !unprocessed[k]));
            assert(!accepted[k] || !drained || k < done[LAST]);
            k++
#endif
        :: else -> k = 0; break
        od
    }
}
