namespace Raceway.Rings;

/// <summary>Keeps two threads of the pool that step units on processors of their own.</summary>
/// <remarks>
/// <para><b>Why.</b> The system chooses a processor for a thread that wakes up. A thread that always finds a unit to step does not
/// sleep. Once two of them are on one processor, they may stay there for a tenth of a second and longer. The other processor has only
/// threads that fill rings and wait for room meanwhile: it is idle again and again, each time for too short a while to take a thread
/// over (decision 0029).</para>
/// <para><b>How.</b> At the end of a slice after which it goes on, a thread looks at where it is, and which thread has looked there
/// last. If that was another one within the last 20 ms, and it steps units still and has looked nowhere else since, the two take
/// turns. Where a thread finds that twice within 20 ms, it moves to a processor where no such thread is. Afterwards it may run on
/// every processor that it could run on before.</para>
/// <para><b>Where.</b> On Linux, and with exactly two processors: with more, the system has more to choose from, and where it moves a
/// thread to has not been measured. A look takes some 20 ns, a move some 10 µs.</para>
/// </remarks>
/// <param name="here">The processor that the calling thread runs on.</param>
/// <param name="leave">Moves the calling thread to a processor that is not in the list, if it may.</param>
internal sealed class PoolSpread(Func<int> here, Action<ReadOnlySpan<int>> leave)
{
    private const int Processors = 2;

    // By processor.
    private readonly Place?[] _last = new Place?[Affinity.Most];

    /// <summary>The one of this machine; null where no thread can be moved. Which processors a thread may run on is looked at when it is to
    /// move: with a quota of two processors on a larger machine, nothing comes of it.</summary>
    public static PoolSpread? OfMachine() => Environment.ProcessorCount == Processors && Affinity.Here() >= 0
        ? new PoolSpread(Affinity.Here, static taken => Affinity.Leave(taken, Processors))
        : null;

    /// <summary>The calling thread has stepped units for a slice, and goes on. True: that took a while, as it was to move.</summary>
    /// <param name="place">Its own.</param>
    /// <param name="now">When that is, in <see cref="MachineClock"/> ticks.</param>
    public bool Look(Place place, long now)
    {
        if (!FindsAnother(place, now) || !place.MovesAfter(now)) return false;
        Span<int> taken = stackalloc int[_last.Length];
        int count = 0;
        for (int processor = 0; processor < _last.Length; processor++)
        {
            if (Volatile.Read(ref _last[processor]) is { } there && there.IsAt(processor, now)) taken[count++] = processor;
        }

        leave(taken[..count]);
        _ = FindsAnother(place, now);
        return true;
    }

    /// <summary>Notes where the calling thread is. True: another one that steps units is there as well.</summary>
    private bool FindsAnother(Place place, long now)
    {
        int processor = here();
        if ((uint)processor >= (uint)_last.Length)
        {
            place.Leave();
            return false;
        }

        place.Enter(processor, now);
        Place? last = Volatile.Read(ref _last[processor]);
        if (last == place) return false;
        Volatile.Write(ref _last[processor], place);
        return last is not null && last.IsAt(processor, now);
    }

    /// <summary>Where a thread has looked last. The thread itself writes it.</summary>
    internal sealed class Place
    {
        /// <summary>For so long it counts that a thread has looked, or has found another one.</summary>
        public static readonly long Remembered = Clock.Ticks(TimeSpan.FromMilliseconds(20));

        private const int Nowhere = -1;
        // Once: the other one may just have been moved.
        private const int FindingsToMove = 2;

        // Read by others. Each may be older than the other one: what they find is a guess in any case.
        private int _processor = Nowhere;
        private long _lookedAt;

        private int _found;
        private long _foundAt;

        /// <summary>Whether the thread steps units there, as far as is known. For any thread.</summary>
        public bool IsAt(int processor, long now) =>
            Volatile.Read(ref _processor) == processor && now - Volatile.Read(ref _lookedAt) < Remembered;

        /// <summary>The thread is on that processor.</summary>
        public void Enter(int processor, long now)
        {
            Volatile.Write(ref _lookedAt, now);
            Volatile.Write(ref _processor, processor);
        }

        /// <summary>The thread steps no more units.</summary>
        public void Leave() => Volatile.Write(ref _processor, Nowhere);

        /// <summary>The thread has found another one on its processor. True: it is to move.</summary>
        public bool MovesAfter(long now)
        {
            _found = now - _foundAt < Remembered ? _found + 1 : 1;
            _foundAt = now;
            if (_found < FindingsToMove) return false;
            _found = 0;
            return true;
        }
    }
}
