/* credits.pml: several producers claim by credits; stages read by stamps.
 *
 * Modelled: MultiProducer (Reserve, WaitForRoom, Acquire, Publish, Settle, Dispose, WaitForRoomAsync's holding of room),
 * Availability (stamps with laps, tombstones), Sequencer.Limit and RoomTarget, Stage.Look and PassTombstones,
 * Ring.Complete with a drain that reads the claim counter.
 *
 * Checked: no slot is written while it is read or written by another; every committed item reaches every stage once, in
 * its producer's order; nothing given up is handled; claimed + unspent credits = granted <= released + capacity; a drain
 * ends, and behind everything that was accepted; nobody is stuck (invalid end state); with -DLTL everybody ends under
 * weak fairness.
 *
 * Abstracted: memory is sequentially consistent, one step a shared access (claims and grants are full fences, stamps and
 * gates are release and acquire; park.pml and lifecycle.pml have store buffers). Sequences are counted from 0, and what
 * the code holds as "the last" is "one past" here. A wait for a cell is a guard: the handshake is park.pml's. The gates
 * stay the same. An item is two words, written and read in steps.
 *
 * Parameters: N slots, P producers, K claims each, B slots a claim, CB credits taken at a time, C stages (side by side;
 * with PIPE each follows the one before), ABORT (a claim may be given up, or its second part), CLOSE (the ring may be
 * closed at any time; without it when the producers are done), HOLD (a producer reserves room before each claim, and may
 * leave without claiming), LTL.
 * B <= N - (P - 1) * (CB - 1): MultiProducer's MaxClaim.
 *
 * Seeded faults: see the names FAULT_ below; each says what it breaks.
 */
#ifndef N
#define N 4
#endif
#ifndef P
#define P 2
#endif
#ifndef K
#define K 3
#endif
#ifndef B
#define B 1
#endif
#ifndef CB
#define CB 1
#endif
#ifndef C
#define C 1
#endif

#define HALF  255                       /* the second word of an item that is half written */
#define TOMB  64
#ifdef FAULT_LAP_BOOL                   /* a stamp only says "published", not in which lap */
#define LAP(s) 1
#else
#define LAP(s) ((s) / N + 1)            /* Availability.Lap; 0 is the lap before the first */
#endif
#ifdef FAULT_WRAP                       /* a limit one too high */
#define ROOM (N + 1)
#else
#define ROOM N
#endif

byte claimed;                           /* Sequencer._claimed: the next to claim */
byte granted;                           /* Sequencer._granted: one past what room was taken for */
byte stamp[N];                          /* Availability */
bool tombs;                             /* Availability._tombstones */
byte done[C];                           /* Stage.Done, one past what was passed */
bool closed;                            /* Control.Closed */
bool halted;                            /* Control.Halted */
byte changes;                           /* Control: the count of changes */

byte first_word[N]; byte second_word[N];  /* the slots */
byte writing[N]; byte reading[N];
byte committed[P];                      /* accepted items of each producer */
byte handled[C * P];                    /* and how many of them each stage has had */
byte unspent[P];                        /* ProducerState.Credits */
byte gone;                              /* producers that have ended */
byte ended;                             /* stages that have */

#define SAFE_MIN(m) d_step { m = done[0]; k = 1; do :: k < C -> if :: done[k] < m -> m = done[k] :: else fi; k++ :: else -> break od; k = 0 }

/* Sequencer.ReleasedThrough: a load for each gate. With PIPE only the last stage gates. */
inline ReleasedThrough(low) {
#if defined(PIPE) && !defined(FAULT_FIRST_STAGE)
    low = done[C - 1]
#elif defined(PIPE) || defined(FAULT_FIRST_STAGE)  /* the gate forgets the second stage */
    low = done[0]
#else
    j = 1; low = done[0];
    do
#ifdef FAULT_TORN_MIN                   /* compares one load and takes another */
    :: j < C -> if :: done[j] < low -> low = done[j] :: else fi; j++
#else
    :: j < C -> atomic { t = done[j]; if :: t < low -> low = t :: else fi; t = 0; j++ }
#endif
    :: else -> j = 0; break
    od
#endif
}

/* MultiProducer.Reserve: ok says whether there is room for n; wanted is one past what it would have to reach. */
inline Reserve(n) {
    do
    :: atomic { unspent[id] >= n -> ok = 1; break }
    :: else ->
        atomic {
            missing = n - unspent[id];
            wished = (missing > CB -> missing : CB);
            g = granted; wanted = g + missing
        }
        if
        :: g + wished > limit -> ReleasedThrough(limit); limit = limit + ROOM
        :: else
        fi;
        if
        :: wanted > limit -> ok = 0; break
        :: else ->
            taken = (wished < limit - g -> wished : limit - g);
            atomic {                    /* the compare-and-swap */
                if
#ifdef FAULT_GRANT_BLIND                /* adds to whatever granted is by now, without another look at the room */
                :: granted = granted + taken; unspent[id] = unspent[id] + taken
#else
                :: granted == g ->
                    granted = granted + taken; unspent[id] = unspent[id] + taken;
                    SAFE_MIN(t); assert(granted <= t + ROOM); t = 0
                :: else
#endif
                fi;
                taken = 0
            }
        fi
    od;
    atomic { missing = 0; wished = 0; g = 0 }
}

/* Producer.WaitForRoom and WaitForRoomAsync: st is 0 = room, 1 = stopped. */
inline WaitForRoom(n) {
    atomic { seen = changes; st = closed }     /* the control word, in one load */
    if
    :: st
    :: else ->
        Reserve(n);
        if
        :: ok
        :: else ->
            looked = seen;
            atomic { seen = changes; st = closed }      /* Ring.BeginBlocked */
            do
            :: st -> break
            :: else ->
                if
#ifndef FAULT_STALE_TARGET              /* sleeps for what it would have needed before the word changed */
                :: seen != looked
#endif
                :: else ->
                    /* Sequencer.RoomTarget */
                    j = 0;
#ifdef PIPE
                    j = C - 1;
#else
                    do
                    :: atomic { j < C && done[j] + N < wanted -> break }
                    :: else -> j++; if :: j >= C -> j = 0; break :: else fi
                    od;
#endif
                    /* WaitTarget.IsOver */
                    atomic { (done[j] + N >= wanted || changes != seen); j = 0 }
                fi;
                atomic { seen = changes; looked = seen; st = closed }
                if
                :: st -> break
                :: else -> Reserve(n); if :: ok -> break :: else fi
                fi
            od
        fi
    fi;
    atomic { seen = 0; looked = 0; wanted = 0; ok = 0 }
}

/* Availability.Publish */
inline Stamp(s) { stamp[(s) % N] = LAP(s) }

/* Availability.Bury */
inline Bury(s) {
#ifdef FAULT_ABORT_PUBLISHES            /* a claim left by an exception is stamped like any other */
    Stamp(s)
#else
    tombs = 1; stamp[(s) % N] = LAP(s) + TOMB
#endif
}

proctype Producer(byte id) {
    byte left = K, limit, first, s, seen, looked, wanted, missing, wished, taken, g, j, k, t, keep;
    bool ok, st;
    do
    :: left == 0 -> break
    :: left > 0 ->
        left--;
#ifdef HOLD
        WaitForRoom(B);                 /* WaitForRoomAsync: holds the room it has found */
        if
        :: st -> break
        :: else -> if :: break :: skip fi
        fi;
#endif
        /* MultiProducer.Acquire */
#ifdef FAULT_MIX
        /* No credits: fetch-add where a look at the counter has shown room for everybody, else compare-and-swap. */
        do
        :: st = closed;
            if :: st -> break :: else fi;
            g = claimed; ReleasedThrough(t); t = t + ROOM;
            if
            :: g + P * B <= t -> atomic { first = claimed; claimed = claimed + B }; break
            :: g + P * B > t && g + B <= t ->
                atomic { if :: claimed == g -> first = claimed; claimed = claimed + B; break :: else fi }
            :: else -> SAFE_MIN(t); (done[0] + ROOM >= g + B || claimed != g || closed)
            fi
        od;
        atomic { g = 0; t = 0 };
        if :: st -> break :: else fi;
#else
        if
        :: unspent[id] < B -> WaitForRoom(B); if :: st -> break :: else fi
        :: else
        fi;
        st = closed;
        if :: st -> break :: else fi;
#ifdef FAULT_CLAIM_SPLIT                /* a load and a store in place of the fetch-add */
        first = claimed;
        atomic { claimed = first + B; unspent[id] = unspent[id] - B };
#else
        atomic { unspent[id] = unspent[id] - B; first = claimed; claimed = claimed + B };
#endif
#endif
#ifdef FAULT_NO_SECOND_LOOK             /* looks whether the ring is closed before the fetch-add only */
#else
        st = closed;
#endif
        if
        :: st -> s = first; do :: s < first + B -> Bury(s); s++ :: else -> break od; s = 0; break
        :: else
        fi;
#ifdef FAULT_HOLE                       /* a claim that is left without commit or abort */
        if :: id == 0 && left == 0 -> break :: else fi;
#endif
        /* the caller writes its slots */
        s = first;
        do
        :: s < first + B ->
#ifdef FAULT_STAMP_EARLY
            Stamp(s);
#endif
            d_step { assert(writing[s % N] == 0 && reading[s % N] == 0); writing[s % N] = 1; second_word[s % N] = HALF };
            first_word[s % N] = s;
            d_step { second_word[s % N] = id * 32 + committed[id] + (s - first); writing[s % N] = 0 };
            s++
        :: else -> break
        od;
        /* MultiProducer.Settle: keeps the first of them */
        keep = B;
#ifdef ABORT
        if :: keep = 0 :: keep = B - 1 :: skip fi;
#endif
        atomic {
            committed[id] = committed[id] + keep;
            s = first + keep;           /* what was begun and given up must not look whole */
            do :: s < first + B -> second_word[s % N] = HALF; s++ :: else -> break od
        };
        s = first;
        do
#ifndef FAULT_STAMP_EARLY
        :: s < first + keep -> Stamp(s); s++
#endif
        :: s >= first + keep && s < first + B -> Bury(s); s++
#ifdef FAULT_STAMP_EARLY
        :: s < first + keep -> s++
#endif
        :: s >= first + B -> break
        od;
        atomic { s = 0; first = 0; keep = 0 }
    od;
    /* MultiProducer.Dispose, and Ring.Nudge */
    atomic {
#if defined(FAULT_HANDBACK_TWICE)
        granted = granted - 2 * unspent[id];
#elif defined(FAULT_HANDBACK_BATCH)     /* gives back what it takes at a time, not what is left of it */
        granted = granted - (unspent[id] > 0 -> CB : 0);
#else
        granted = granted - unspent[id];
#endif
        t = unspent[id]; unspent[id] = 0; seen = 0; limit = 0; first = 0; s = 0; left = 0
    }
#ifndef FAULT_NO_NUDGE                  /* nobody is told of the room that came back */
    atomic { if :: t > 0 -> changes++ :: else fi; t = 0 };
#endif
    gone++
}

inline Handle(s) {
    d_step { assert(writing[s % N] == 0); reading[s % N]++ };
    assert(first_word[s % N] == s);     /* neither overwritten nor stale */
    atomic {
        v = second_word[s % N]; assert(v != HALF); p = id * P + v / 32;
        assert(v % 32 == handled[p]);   /* in its producer's order, none twice, none missing */
        handled[p]++; v = 0; p = 0
    };
    reading[s % N]--
}

#define PUBLISHED(s) (stamp[(s) % N] == LAP(s))
#ifdef FAULT_LAP_BOOL
#define TOMBSTONE(s) (stamp[(s) % N] == 1 + TOMB)
#else
#define TOMBSTONE(s) (stamp[(s) % N] == LAP(s) + TOMB)
#endif

proctype Stage(byte id) {
    byte next, seen, s, v, p; bool moved;
#ifdef PIPE
#define LEADS (id == 0)
#else
#define LEADS true
#endif
    do
    :: halted -> break
    :: atomic { (LEADS && (PUBLISHED(next) || TOMBSTONE(next))) || (!LEADS && done[(id > 0 -> id - 1 : 0)] > next) -> seen = next }
        /* SequenceBarrier.ReadableEnd */
        if
        :: LEADS -> do :: atomic { seen < next + N && PUBLISHED(seen) -> seen++ } :: else -> break od
        :: else -> seen = done[(id > 0 -> id - 1 : 0)]
        fi;
        /* Stage.PassTombstones */
        if
        :: tombs ->
            do
            :: atomic { (LEADS || next < seen) && TOMBSTONE(next) -> next++; moved = 1 }
            :: else -> break
            od;
            if
            :: moved ->
                moved = 0; done[id] = next;
                if
                :: LEADS -> seen = next; do :: atomic { seen < next + N && PUBLISHED(seen) -> seen++ } :: else -> break od
                :: else
                fi
            :: else
            fi;
            if
            :: !LEADS ->
                s = next;
                do :: atomic { s < seen && !TOMBSTONE(s) -> s++ } :: else -> break od;
                seen = s; s = 0
            :: else
            fi
        :: else
        fi;
        if
        :: seen > next ->
#ifdef FAULT_ADVANCE_EARLY              /* reports progress before it has read */
            done[id] = seen;
#endif
            s = next;
            do :: s < seen -> Handle(s); s++ :: else -> break od;
            atomic { next = seen; s = 0; seen = 0 };
#ifndef FAULT_ADVANCE_EARLY
            done[id] = next
#endif
        :: else -> seen = 0
        fi
    od;
    ended++
}

/* Ring.Complete, DrainAsync, HaltAsync */
proctype Closer() {
    byte low, j, t, target;
#ifndef CLOSE
    (gone == P);
#endif
    atomic { closed = 1; changes++ };   /* Control.Change: an exchange */
    do
    :: target = claimed;
        ReleasedThrough(low);
        if
        :: low >= target -> break
        :: else ->
#if C > 1 && !defined(PIPE)
            (done[0] >= target && done[1] >= target)
#else
            (done[C - 1] >= target)
#endif
        fi
    od;
    atomic { halted = 1; changes++ }
}

init {
    byte k;
    atomic {
        k = 0; do :: k < P -> run Producer(k); k++ :: else -> break od;
        k = 0; do :: k < C -> run Stage(k); k++ :: else -> break od;
        run Closer(); k = 0
    };
    (gone == P && ended == C);
    d_step {
        k = 0;
        do :: k < C * P -> assert(handled[k] == committed[k % P]); k++ :: else -> break od;
#ifndef FAULT_MIX
        assert(granted == claimed)
#endif
    }
}

#ifdef LTL
ltl ends { <> (gone == P && ended == C) }
#endif
