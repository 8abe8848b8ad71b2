using BenchmarkDotNet.Attributes;
using Raceway.Rings;

namespace Raceway.Micro;

/// <summary>How is a sequence claimed best by one of several producers?</summary>
/// <remarks>
/// With credits room is taken 64 at a time by compare-and-swap, and a claim is a bare fetch-add. Without, each claim looks
/// at the room and swaps the counter, and tries again if the other thread was faster. The second thread does the same all the
/// time.
/// </remarks>
public unsafe class CreditsOrCompareAndSwap
{
    private const int Claims = 256;
    private const int CreditBatch = 64;

    private readonly RingMemory _memory = new(CellPadding.LinePair);
    private readonly long* _claimed;
    private readonly long* _granted;
    private readonly long* _limit;
    private readonly Credits _mine = new();
    private Partner? _partner;

    /// <summary>Cells as a ring has them.</summary>
    public CreditsOrCompareAndSwap()
    {
        _claimed = _memory.Take();
        _granted = _memory.Take();
        _limit = _memory.Take();
        *_limit = long.MaxValue;
    }

    /// <summary>Threads that claim.</summary>
    [Params(1, 2)]
    public int Threads { get; set; }

    /// <summary>The second thread claims by compare-and-swap.</summary>
    [GlobalSetup(Target = nameof(CompareAndSwap))]
    public void SetupCompareAndSwap() => _partner = Threads == 2 ? new Partner(() => ClaimBySwap()) : null;

    /// <summary>The second thread claims by credits.</summary>
    [GlobalSetup(Target = nameof(CreditsAndFetchAdd))]
    public void SetupCredits()
    {
        var theirs = new Credits();
        _partner = Threads == 2 ? new Partner(() => ClaimByCredits(theirs)) : null;
    }

    /// <summary>Ends the second thread.</summary>
    [GlobalCleanup]
    public void Cleanup() => _partner?.Dispose();

    /// <summary>Looks at the room and swaps, a claim.</summary>
    [Benchmark(Baseline = true, OperationsPerInvoke = Claims)]
    public long CompareAndSwap() => ClaimBySwap();

    /// <summary>Takes room in batches, and adds one a claim.</summary>
    [Benchmark(OperationsPerInvoke = Claims)]
    public long CreditsAndFetchAdd() => ClaimByCredits(_mine);

    private long ClaimBySwap()
    {
        long last = 0;
        for (int i = 0; i < Claims; i++)
        {
            do last = Volatile.Read(ref *_claimed);
            while (last >= Volatile.Read(ref *_limit) || Interlocked.CompareExchange(ref *_claimed, last + 1, last) != last);
        }

        return last;
    }

    private long ClaimByCredits(Credits credits)
    {
        long last = 0;
        for (int i = 0; i < Claims; i++)
        {
            if (credits.Left == 0) Grant(credits);
            credits.Left--;
            last = Interlocked.Increment(ref *_claimed);
        }

        return last;
    }

    private void Grant(Credits credits)
    {
        long granted;
        do granted = Volatile.Read(ref *_granted);
        while (granted >= Volatile.Read(ref *_limit)
            || Interlocked.CompareExchange(ref *_granted, granted + CreditBatch, granted) != granted);
        credits.Left = CreditBatch;
    }

    private sealed class Credits
    {
        // Between two lines of its own, or the threads would share one here.
        private readonly RingMemory _memory = new(CellPadding.LinePair);
        private readonly long* _left;

        public Credits() => _left = _memory.Take();

        public ref long Left => ref *_left;
    }
}
