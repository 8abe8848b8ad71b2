namespace Raceway.Rings;

/// <summary>Moves threads of the pool that step units to the other processor, where they share one with each other or with a producer.</summary>
/// <remarks>
/// <para><b>Why.</b> The system chooses a processor for a thread that wakes up. A thread that always finds a unit to step does not
/// sleep. Two of them on one processor may stay there for a tenth of a second and longer. So may a producer and the thread that steps what
/// it feeds: it fills the ring and waits for room, the thread empties the ring and goes back to the pool, and one of the two is ready at a
/// time. The other processor is idle again and again meanwhile, each time for too short a while to take a thread over.</para>
/// <para><b>What is noted.</b> A thread notes its processor as it begins to step units, and at the end of each slice after which it goes
/// on; and how much of its time it works, and does not wait for its stage (<see cref="Lingering"/>). A producer notes where it blocks until
/// a ring that the pool steps has room. What was noted more than 20 ms ago, or what a thread has noted that steps no more units, does not
/// count.</para>
/// <para><b>Who moves</b> to the other processor:</para>
/// <list type="number">
/// <item>One of two threads on one processor, at the end of a slice, unless a third one is on the other. If one of the two works less than
/// half as much, it is that one.</item>
/// <item>A thread that begins beside a producer, unless a thread or a producer is on the other. (At the end of a slice it does not:
/// where a ring is always full, a move gains nothing.)</item>
/// <item>A thread beside a producer, at the end of a slice, if a thread on the other works less than half as much, and no producer blocks
/// there. That one finds it there, and moves to the producer, as rule 1 says.</item>
/// </list>
/// <para>The last rule is for stages of one ring that are apart: three threads and more on two processors. They are fastest where the stage
/// with the most to do is alone (decision 0033). For all rules, a thread moves when it finds that for the second time within 20 ms, once a
/// millisecond at the most. Afterwards it may run on every processor that it could run on before.</para>
/// <para><b>Where.</b> On Linux, and with exactly two processors: with more, the system has more to choose from, and where it moves a
/// thread to has not been measured (decision 0029). A look takes some 20 ns, a move some 10 µs.</para>
/// </remarks>
/// <param name="here">The processor that the calling thread runs on.</param>
/// <param name="leave">Moves the calling thread off that processor, if it may.</param>
internal sealed class PoolSpread(Func<int> here, Action<int> leave)
{
    private const int Processors = 2;
    // The system may have moved the producer: what was noted before that is older than this. Two producers note both as often.
    private static readonly long s_producerMoved = 2 * Place.Seldom;

    // By processor: which thread of the pool has looked there last, and when a producer has blocked there.
    private readonly Place?[] _last = new Place?[Affinity.Most];
    private readonly long[] _blockedAt = new long[Affinity.Most];
    // One past the highest processor of these. Where two threads write it at once, the next note mends it.
    private int _end;

    /// <summary>The one of this machine; null where no thread can be moved. Which processors a thread may run on is looked at when it is to
    /// move: with a quota of two processors on a larger machine, nothing comes of it.</summary>
    public static PoolSpread? OfMachine() => Environment.ProcessorCount == Processors && Affinity.Here() >= 0
        ? new PoolSpread(Affinity.Here, static processor => Affinity.Leave([processor], Processors))
        : null;

    /// <summary>The calling thread begins to step units. True: that took a while, as it was to move.</summary>
    /// <param name="place">Its own.</param>
    /// <param name="now">When that is, in <see cref="MachineClock"/> ticks.</param>
    /// <param name="work">See <see cref="Lingering.Work"/>: of the unit that it is about to step.</param>
    public bool Begin(Place place, long now, int work)
    {
        int processor = Here();
        place.Has(work);
        place.Enter(processor, now);
        if (processor == Place.Nowhere) return false;
        // One that is there still is to be seen there: it may be in a long step.
        if (ThreadAt(processor, now) is null) Volatile.Write(ref _last[processor], place);
        return HasProducer(processor, now) && place.Producers.IsEnough(now) && Other(processor, now) == Place.Nowhere
            && Leaves(processor, place, now);
    }

    /// <summary>The calling thread has stepped units for a slice, and goes on. True: that took a while, as it was to move.</summary>
    /// <param name="place">Its own.</param>
    /// <param name="now">When that is.</param>
    /// <param name="work">Of the unit that it has stepped.</param>
    public bool Look(Place place, long now, int work)
    {
        place.Has(work);
        int processor = Note(place, now, out Place? beside);
        if (processor == Place.Nowhere) return false;
        int other = Other(processor, now);
        bool moves = beside is null
            ? HasProducer(processor, now) && OneWaits(other, processor, place, now) && place.Producers.IsEnough(now)
            : !beside.WorksLessThan(place) && place.Others.IsEnough(now) && ThreadAt(other, now) is null;
        return moves && Leaves(processor, place, now);
    }

    /// <summary>The calling thread is a producer's, and blocks until there is room in a ring.</summary>
    /// <param name="now">When that is.</param>
    public void ProducerBlocks(long now)
    {
        int processor = Here();
        if (processor == Place.Nowhere) return;
        // Seldom: producers on all processors write to one cache line.
        ref long blockedAt = ref _blockedAt[processor];
        if (now - Volatile.Read(ref blockedAt) > Place.Seldom) Volatile.Write(ref blockedAt, now);
    }

    /// <summary>Notes where the calling thread is; another one that steps units may be there as well.</summary>
    private int Note(Place place, long now, out Place? beside)
    {
        beside = null;
        int processor = Here();
        place.Enter(processor, now);
        if (processor == Place.Nowhere) return processor;
        Place? last = Volatile.Read(ref _last[processor]);
        if (last == place) return processor;
        Volatile.Write(ref _last[processor], place);
        if (last is not null && last.IsAt(processor, now)) beside = last;
        return processor;
    }

    private bool Leaves(int processor, Place place, long now)
    {
        if (!place.MayMove(now)) return false;
        leave(processor);
        place.HasMoved(now);
        _ = Note(place, now, out _);
        return true;
    }

    /// <summary>The other processor, if a thread or a producer is there as far as is known; else <see cref="Place.Nowhere"/>.</summary>
    private int Other(int processor, long now)
    {
        for (int other = 0; other < Volatile.Read(ref _end); other++)
        {
            if (other != processor && (ThreadAt(other, now) is not null || HasProducer(other, now))) return other;
        }

        return Place.Nowhere;
    }

    /// <summary>Whether a thread on <paramref name="other"/> works much less than this one. If a producer blocks there as well, it does not count: the two
    /// threads would change places again and again.</summary>
    private bool OneWaits(int other, int processor, Place place, long now) =>
        ThreadAt(other, now) is { } last && last.WorksLessThan(place) && BlockedAt(processor) - BlockedAt(other) > s_producerMoved;

    private Place? ThreadAt(int processor, long now) =>
        processor != Place.Nowhere && Volatile.Read(ref _last[processor]) is { } last && last.IsAt(processor, now) ? last : null;

    private bool HasProducer(int processor, long now) => now - BlockedAt(processor) < Place.Remembered;

    private long BlockedAt(int processor) => Volatile.Read(ref _blockedAt[processor]);

    private int Here()
    {
        int processor = here();
        if ((uint)processor >= (uint)_last.Length) return Place.Nowhere;
        if (processor >= Volatile.Read(ref _end)) Volatile.Write(ref _end, processor + 1);
        return processor;
    }

    /// <summary>Where a thread has looked last. The thread itself writes it.</summary>
    internal sealed class Place
    {
        /// <summary>For so long it counts that a thread has looked, or a producer has blocked, or that another one was found.</summary>
        public static readonly long Remembered = Clock.Ticks(TimeSpan.FromMilliseconds(20));

        /// <summary>The least time between two notes of producers on one processor, or two moves of a thread.</summary>
        public static readonly long Seldom = Clock.Ticks(TimeSpan.FromMilliseconds(1));

        /// <summary>In place of a processor: not known, or none.</summary>
        public const int Nowhere = -1;

        // Once: the other one may just have been moved.
        private const int FindingsToMove = 2;

        // Read by others. Each may be older than the other one: what they find is a guess in any case.
        private int _processor = Nowhere;
        private long _lookedAt;
        private int _work = Lingering.All; // see Lingering.Work

        private long _movedAt;

        /// <summary>Other threads that step units. Of the thread itself.</summary>
        public Findings Others;

        /// <summary>Producers that have blocked. Of the thread itself.</summary>
        public Findings Producers;

        /// <summary>Whether the thread steps units there, as far as is known. For any thread.</summary>
        public bool IsAt(int processor, long now) =>
            Volatile.Read(ref _processor) == processor && now - Volatile.Read(ref _lookedAt) < Remembered;

        /// <summary>What it steps works so much, see <see cref="Lingering.Work"/>.</summary>
        public void Has(int work) => Volatile.Write(ref _work, work);

        /// <summary>Whether it works less than half as much as <paramref name="other"/>: it waits more, by more than what is chance. For any thread.</summary>
        public bool WorksLessThan(Place other) => Volatile.Read(ref _work) * 2 < Volatile.Read(ref other._work);

        /// <summary>The thread is on that processor.</summary>
        public void Enter(int processor, long now)
        {
            Volatile.Write(ref _lookedAt, now);
            Volatile.Write(ref _processor, processor);
        }

        /// <summary>The thread steps no more units.</summary>
        public void Leave() => Volatile.Write(ref _processor, Nowhere);

        /// <summary>Whether it was not moved within the last millisecond.</summary>
        public bool MayMove(long now) => now - _movedAt > Seldom;

        /// <summary>The thread has been moved.</summary>
        public void HasMoved(long now) => _movedAt = now;

        /// <summary>What a thread has found on its processor. Mutable: keep it in a field that is not readonly.</summary>
        internal struct Findings
        {
            private int _found;
            private long _foundAt;

            /// <summary>It has found it once more. True: that was often enough, and is forgotten.</summary>
            public bool IsEnough(long now)
            {
                _found = now - _foundAt < Remembered ? _found + 1 : 1;
                _foundAt = now;
                if (_found < FindingsToMove) return false;
                _found = 0;
                return true;
            }
        }
    }
}
