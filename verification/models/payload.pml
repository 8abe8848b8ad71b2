/* payload.pml: who owns a slot's pooled buffer, and who gives it back.
 *
 * Modelled: PayloadEntry (Lend, Reserve, Retain, Recall, Reclaim, Release), PayloadBuffer (shares), PayloadColumn.ReleaseAll,
 * SlotSweeper, RetainedPayload, Sequencer.SweptThrough, the end of a ring (Ring.Seal, SweepUpAll, RingBuffer.SweepUp)
 * against claims that are still open and end late (Settle, EndLate, IsInTime).
 *
 * Checked: every buffer rented goes back exactly once, and no share of it is dropped twice; nobody writes or reads one
 * that has gone back; the bytes of a lent or retained payload are its own sequence's; somebody who keeps a payload beyond
 * its lease and retains it late gets the right bytes or an error; everybody ends.
 *
 * Abstracted: memory is sequentially consistent (Retain's and Sweep's pair is argued in docs/memory-ordering.md and in
 * PayloadEntry; Seal's barrier is lifecycle.pml's). A claim of one slot is one step, credits are credits.pml's. A pool never
 * hands the same buffer out twice, so that a second return shows. Whether a buffer is too short for its next item, or too
 * long to be kept, is a free choice. The array, which the entry refers to beside its buffer, goes with it. Waits are guards.
 *
 * Parameters: N slots, P producers (SINGLE: one, that announces claims and takes given-up ones back), K claims each,
 * C stages (each follows the one before), RETAIN (the first stage may retain), STRAY (a task of a handler retains when it
 * likes), HALT (the ring may be halted at any time; without it after the last item).
 *
 * Seeded faults: see the names FAULT_ below.
 */
#ifndef N
#define N 2
#endif
#ifndef P
#define P 2
#endif
#ifndef K
#define K 2
#endif
#ifndef C
#define C 1
#endif
#define BUFFERS (P * K)
#define NONE 0
#define TOMB 64
#define LAP(s) ((s) / N + 1)

byte claimed; byte stamp[N]; byte done[C];
bool closed; bool sealed; bool released;
byte inTime;                            /* Ring._inTime, one past */
byte behind;                            /* Ring._behindHoles: a bit for each slot */
byte swept; bool sweeping;              /* SlotSweeper._next, _gate */

byte buffer[N];                         /* PayloadEntry._buffer */
byte lent[N];                           /* PayloadEntry._lentTo, one past; 0 = not lent */
bool mark[N];                           /* PayloadEntry._mayBeShared */
byte rented;                            /* buffers rented so far: their numbers are 1, 2, ... */
byte shares[BUFFERS + 1];               /* PayloadBuffer._shares */
byte content[BUFFERS + 1];              /* one past the sequence whose bytes it holds; 255 while it is written */
bool returned[BUFFERS + 1];
byte gone; byte ended; bool over; byte strays;

#define TOMBSTONE(s) (stamp[(s) % N] == LAP(s) + TOMB)
#define PUBLISHED(s) (stamp[(s) % N] == LAP(s))
/* Sequencer.ReleasedThrough: the last stage gates */
#define RELEASED done[C - 1]

inline Return(b) { assert(!returned[b]); returned[b] = 1 }

/* PayloadBuffer.Drop */
inline Drop(b) {
#ifdef FAULT_DROP_SPLIT                 /* a load and a store in place of the decrement */
    held = shares[b]; atomic { assert(held > 0); shares[b] = held - 1; if :: held == 1 -> Return(b) :: else fi; held = 0 }
#else
    atomic { assert(shares[b] > 0); shares[b]--; if :: shares[b] == 0 -> Return(b) :: else fi }
#endif
}

/* PayloadEntry.Release */
inline Release(i) {
#ifdef FAULT_PLAIN_RELEASE              /* a load and a store in place of the exchange */
    b = buffer[i]; buffer[i] = NONE;
#else
    atomic { b = buffer[i]; buffer[i] = NONE };
#endif
    if :: b != NONE -> Drop(b); b = NONE :: else fi
}

/* PayloadEntry.Recall and Reclaim */
inline SweepOne(s) {
    lent[(s) % N] = 0;
    b = buffer[(s) % N];
    if
    :: b == NONE
    :: b != NONE ->
        if
        :: Release((s) % N)             /* longer than KeepLength */
        :: !mark[(s) % N]
        :: mark[(s) % N] -> mark[(s) % N] = 0;
            if
#ifndef FAULT_KEEPS_SHARED              /* keeps a buffer that somebody has retained */
            :: shares[b] > 1 -> Release((s) % N)
#endif
            :: shares[b] <= 1
#ifdef FAULT_KEEPS_SHARED
            :: shares[b] > 1
#endif
            fi
        fi
    fi;
    b = NONE
}

/* SlotSweeper.SweepThrough(released); r is one past */
inline SweepThrough(r) {
    if
    :: swept >= r
    :: else ->
#ifndef FAULT_SWEEP_NO_GATE             /* two threads sweep at once */
        atomic { !sweeping -> sweeping = 1 };
#endif
        w = swept;
        do :: w < r -> SweepOne(w); w++ :: else -> break od;
        if :: swept < r -> swept = r :: else fi;
        atomic { w = 0; sweeping = 0 }
    fi
}

/* PayloadEntry.IsLent */
inline IsLent(s, yes) {
    yes = (lent[(s) % N] == (s) + 1);
    if :: yes -> yes = (RELEASED <= (s)) :: else fi
}

/* Payload.Span within a handler: the bytes are looked at twice, over a time */
inline Read(s) {
    IsLent(s, ok); assert(ok);
    b = buffer[(s) % N];
    assert(b != NONE && !returned[b] && content[b] == (s) + 1);
    atomic { assert(!returned[b] && content[b] == (s) + 1); b = NONE; ok = 0 }
}

/* PayloadEntry.Retain: kept is the buffer, or none where it threw */
inline Retain(s) {
    kept = buffer[(s) % N];
#ifndef FAULT_NO_MARK                   /* does not tell the sweep to look at the shares */
    mark[(s) % N] = 1;
#endif
    if
    :: kept == NONE
    :: else ->
        atomic {                        /* PayloadBuffer.TryShare */
            if
#ifdef FAULT_SHARE_RETURNED             /* counts up from 0 too, where the buffer has gone back */
            :: shares[kept]++
#else
            :: shares[kept] > 0 -> shares[kept]++
            :: else -> kept = NONE
#endif
            fi
        }
    fi;
    if
    :: kept == NONE
    :: else ->
#ifndef FAULT_RETAIN_ONE_LOOK           /* does not look again after it has shared */
        IsLent(s, ok);
        if :: ok :: else -> Drop(kept); kept = NONE fi;
#endif
        ok = 0
    fi
}

/* RetainedPayload: its bytes are looked at, some time later it is disposed */
inline UseRetained(s) {
    assert(!returned[kept] && content[kept] == (s) + 1);
    Drop(kept);
    kept = NONE
}

/* RingBuffer.EndLate for a claim of one slot; published says whether it was committed */
inline EndLate(s, published) {
    if
#if defined(FAULT_LATE_ABORT)           /* gives a given-up slot's buffer back without asking whether it came in time */
    :: !published -> Release((s) % N)
#elif defined(FAULT_LATE_COMMIT)        /* the same for a committed one */
    :: published -> Release((s) % N)
#endif
    :: else ->
        (sealed);                       /* Ring.IsInTime: the seal under way decides */
        if
        :: s < inTime || (published && (behind & (1 << (s % N))))
        :: else -> Release((s) % N)
        fi
    fi
}

proctype Producer(byte id) {
    byte left = K, s, limit, b, w, held; bool published, st;
    do
    :: left > 0 ->
        left--;
        /* Reserve: Sequencer.Limit sweeps what it counts on */
        if
        :: claimed < limit
        :: else ->
            (closed || RELEASED + N > claimed);
#ifdef FAULT_SWEEP_EARLY                /* sweeps behind the first stage, not behind the last */
            limit = done[0];
#else
            limit = RELEASED;
#endif
            SweepThrough(limit);
            limit = limit + N
        fi;
        if :: closed -> break :: else fi;
        if
        :: atomic { claimed < limit -> s = claimed; claimed++ }
        :: else -> left++; goto again   /* the other one took it */
        fi;
        st = closed;
        if
        :: st ->                        /* refused: taken back, or buried */
#ifdef SINGLE
            claimed = s;                /* SingleClaimer.Announce */
#else
            stamp[s % N] = LAP(s) + TOMB;
#endif
#if !defined(SINGLE) || !defined(FAULT_REFUSAL_FORGOTTEN)  /* a refused announcement has kept the ring from its slot */
            if :: released -> EndLate(s, false) :: else fi;
#endif
            break
        :: else
        fi;
        /* PayloadColumn.Lend */
        lent[s % N] = s + 1;
        /* PayloadEntry.Reserve */
        b = buffer[s % N];
        if
        :: b != NONE -> skip
        :: atomic { b = NONE };
            Release(s % N);
            atomic { rented++; shares[rented] = 1; buffer[s % N] = rented }
        fi;
        b = buffer[s % N];
        assert(b != NONE);
        d_step { assert(!returned[b]); content[b] = 255 };
        d_step { assert(!returned[b] && content[b] == 255); content[b] = s + 1; b = NONE };
        /* Settle */
        if
        :: published = 1; stamp[s % N] = LAP(s)
        :: published = 0;
#ifdef SINGLE
            claimed = s
#else
            stamp[s % N] = LAP(s) + TOMB
#endif
        fi;
#ifndef FAULT_LATE_FORGOTTEN            /* a claim that ends after the ring gives nothing back */
        if :: released -> EndLate(s, published) :: else fi;
#endif
again:  atomic { published = 0; s = 0 }
    :: else -> break
    od;
    atomic { s = 0; limit = 0; left = 0; published = 0; st = 0; b = NONE; gone++ }
}

proctype Stage(byte id) {
    byte next, low, b, kept, keptOf, w, held; bool ok;
    do
    :: over -> break                    /* Control.Halted */
    :: !over && id == 0 && TOMBSTONE(next) -> next++; done[id] = next
    :: !over && id > 0 && next < done[(id > 0 -> id - 1 : 0)] && TOMBSTONE(next) -> next++; done[id] = next
    :: atomic { !over && ((id == 0 && PUBLISHED(next)) || (id > 0 && next < done[(id > 0 -> id - 1 : 0)] && PUBLISHED(next))) -> skip };
#ifdef STRAY
        if :: id == 0 && next == 0 -> atomic { strays++; run Stray() } :: else fi;
#endif
        Read(next);
#ifdef RETAIN
        if
        :: id == 0 && kept == NONE -> Retain(next); assert(kept != NONE); keptOf = next
        :: skip
        fi;
#endif
        next++; done[id] = next
#ifdef RETAIN
    :: kept != NONE -> UseRetained(keptOf)
#endif
    :: !over && swept < RELEASED && next >= claimed -> low = RELEASED; SweepThrough(low); low = 0   /* Stage.ClosesShort */
    od;
    if :: kept != NONE -> UseRetained(keptOf) :: else fi;
    atomic { next = 0; keptOf = 0; ended++ }
}

#ifdef STRAY
/* A task that the first handler has started and does not wait for. */
proctype Stray() {
    byte b, kept, held; bool ok;
    IsLent(0, ok);
    if :: ok -> Retain(0) :: else fi;
    if :: kept != NONE -> UseRetained(0) :: else fi;
    atomic { ok = 0; strays-- }
}
#endif

proctype Ender() {
    byte b, r, s, w, held, i, top; bool ok;
#ifndef HALT
    (gone == P && RELEASED == claimed);
#endif
    closed = 1;
    over = 1;
    (ended == C);                       /* FinishAsync: every driver has ended */
    /* Ring.Seal */
    released = 1;
    r = RELEASED; s = r;
    do :: atomic { s < r + N && (PUBLISHED(s) || TOMBSTONE(s)) -> s++ } :: else -> break od;
    inTime = s;
#ifndef SINGLE
    do
    :: s < claimed -> atomic { if :: PUBLISHED(s) -> behind = behind | (1 << (s % N)) :: else fi; s++ }
    :: else -> break
    od;
#endif
    sealed = 1;
    /* RingBuffer.SweepUp: what is left is offered, then taken back */
    s = r;
    do :: s < inTime -> if :: !TOMBSTONE(s) -> Read(s) :: else fi; s++ :: else -> break od;
    do :: s < r + N -> if :: s >= inTime && (behind & (1 << (s % N))) -> Read(s) :: else fi; s++ :: else -> break od;
    SweepThrough(inTime);
    top = claimed;
    /* PayloadColumn.ReleaseAll */
    s = inTime;
    do
    :: s < inTime + N ->
#if defined(FAULT_RELEASE_OPEN)         /* gives back what open claims are still writing to */
        Release(s % N);
#elif defined(FAULT_BY_LEASE)           /* tells open claims by whom the slot is lent to */
        if :: atomic { lent[s % N] <= inTime || lent[s % N] > top -> skip }; Release(s % N) :: else fi;
#else
        if :: s >= top || TOMBSTONE(s) -> Release(s % N) :: else fi;
#endif
        s++
    :: else -> break
    od;
#ifndef FAULT_BEHIND_FORGOTTEN          /* what was published behind an open claim is forgotten */
    i = 0;
    do :: i < N -> if :: behind & (1 << i) -> Release(i) :: else fi; i++ :: else -> break od;
#endif
    atomic { r = 0; s = 0; i = 0; top = 0; ended++ }
}

init {
    byte k;
    atomic {
        k = 0; do :: k < P -> run Producer(k); k++ :: else -> break od;
        k = 0; do :: k < C -> run Stage(k); k++ :: else -> break od;
        run Ender(); k = 0
    };
    (gone == P && ended == C + 1 && strays == 0);
    d_step { k = 1; do :: k <= rented -> assert(returned[k]); k++ :: else -> break od; k = 0 }
}
