namespace Raceway.Rings;

/// <summary>Keeps two threads of the pool that step units on processors of their own, and such a thread off that of a producer.</summary>
/// <remarks>
/// <para><b>Why.</b> The system chooses a processor for a thread that wakes up. A thread that always finds a unit to step does not
/// sleep. Once two of them are on one processor, they may stay there for a tenth of a second and longer. The other processor has only
/// threads that fill rings and wait for room meanwhile: it is idle again and again, each time for too short a while to take a thread
/// over (decision 0029).</para>
/// <para>A producer and the one thread that steps what it feeds may be on one processor for as long. The producer fills the ring and waits
/// for room; the thread empties the ring, finds nothing and goes back to the pool. One of the two is ready at a time, so the system sees
/// nothing to move, and the other processor is idle.</para>
/// <para>Where stages of one ring are apart, there are three threads and more on two processors, and the system sees no reason to move any.
/// The fastest is where the stage with the most to do is alone, and the others share a processor with the producer (decision 0033).</para>
/// <para><b>How.</b> A thread that steps units notes where it is, and how much of its time it works and does not wait for its stage
/// (<see cref="Lingering"/>): as it begins, and at the end of each slice after which it goes on. A producer that blocks until a ring that the
/// pool steps has room notes where it is, too. A note counts for 20 ms. By the notes a thread moves to the other processor:</para>
/// <list type="number">
/// <item>As it begins, if a producer is noted where it is. Neither a producer nor a thread may be noted on the other one.</item>
/// <item>At the end of a slice, if another thread is noted where it is, and that one does not work less than half as much: else that one
/// is to make room. No thread may be noted on the other processor.</item>
/// <item>At the end of a slice, if no other thread is noted where it is, but a producer is, and a thread on the other processor works less than
/// half as much. That one finds it there, and moves to the producer by rule 2. No producer may have been noted over there since 2 ms before
/// it was here: the two threads would change places again and again.</item>
/// </list>
/// <para>It moves once it has found that twice within 20 ms (1 and 3 count as one; whether the other processor is free is asked only then), and
/// once a millisecond at the most. Afterwards it may run on every processor that it could run on before. At the end of a slice a
/// producer alone is no reason: where a ring is always full, a move gains nothing.</para>
/// <para><b>Where.</b> On Linux, and with exactly two processors: with more, the system has more to choose from, and where it moves a
/// thread to has not been measured. A look takes some 20 ns, a move some 10 µs.</para>
/// </remarks>
/// <param name="here">The processor that the calling thread runs on.</param>
/// <param name="leave">Moves the calling thread to a processor that is not in the list, if it may.</param>
internal sealed class PoolSpread(Func<int> here, Action<ReadOnlySpan<int>> leave)
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
        ? new PoolSpread(Affinity.Here, static taken => Affinity.Leave(taken, Processors))
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
        if (!HasThread(processor, now)) Volatile.Write(ref _last[processor], place);
        return HasProducer(processor, now) && place.Producers.IsEnough(now) && Moves(place, now, fromProducers: true);
    }

    /// <summary>The calling thread has stepped units for a slice, and goes on. True: that took a while, as it was to move.</summary>
    /// <param name="place">Its own.</param>
    /// <param name="now">When that is.</param>
    /// <param name="work">Of the unit that it has stepped.</param>
    public bool Look(Place place, long now, int work)
    {
        place.Has(work);
        int here = Note(place, now, out Place? other);
        if (other is not null) return !other.WorksLessThan(place) && place.Others.IsEnough(now) && Moves(place, now, fromProducers: false);
        return here != Place.Nowhere && HasProducer(here, now) && OneWaitsElsewhere(place, here, now)
            && place.Producers.IsEnough(now) && Leaves([here], place, now);
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
    private int Note(Place place, long now, out Place? other)
    {
        other = null;
        int processor = Here();
        place.Enter(processor, now);
        if (processor == Place.Nowhere) return processor;
        Place? last = Volatile.Read(ref _last[processor]);
        if (last == place) return processor;
        Volatile.Write(ref _last[processor], place);
        if (last is not null && last.IsAt(processor, now)) other = last;
        return processor;
    }

    /// <summary>Moves the calling thread to a processor where no thread steps units; and, if it leaves a producer, where none has blocked.
    /// False: there is none, or it has been moved a moment ago.</summary>
    private bool Moves(Place place, long now, bool fromProducers)
    {
        Span<int> taken = stackalloc int[Processors];
        int count = 0;
        for (int processor = 0; processor < Volatile.Read(ref _end); processor++)
        {
            if (!HasThread(processor, now) && !(fromProducers && HasProducer(processor, now))) continue;
            taken[count++] = processor;
            if (count == Processors) return false;
        }

        return Leaves(taken[..count], place, now);
    }

    private bool Leaves(ReadOnlySpan<int> taken, Place place, long now)
    {
        if (!place.MayMove(now)) return false;
        leave(taken);
        place.HasMoved(now);
        _ = Note(place, now, out _);
        return true;
    }

    private bool HasThread(int processor, long now) => Volatile.Read(ref _last[processor]) is { } last && last.IsAt(processor, now);

    /// <summary>Whether a thread that steps units works much less than this one, on another processor, and no producer blocks there as well:
    /// the two threads would change places again and again.</summary>
    private bool OneWaitsElsewhere(Place place, int here, long now)
    {
        for (int processor = 0; processor < Volatile.Read(ref _end); processor++)
        {
            if (processor != here && Volatile.Read(ref _last[processor]) is { } last && last.IsAt(processor, now) && last.WorksLessThan(place)
                && BlockedAt(here) - BlockedAt(processor) > s_producerMoved) return true;
        }

        return false;
    }

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
