using System.Diagnostics;

namespace Raceway.Rings;

/// <content>
/// Threads that help while work queues: the group's own thread goes on alone until it has been busy for a while with items
/// that cost more than handing them to another processor would. Then it opens the group, and each thread inside takes one
/// stage after another that no other thread is stepping.
/// </content>
/// <remarks>
/// <para>A stage that a thread steps is taken; the others pass it by, and may so leave work behind. None stays there: the group's
/// own thread alone begins, ends and waits, and before it does it closes the group, waits for those inside, which leave at the
/// next stage, and looks at every stage once more.</para>
/// </remarks>
internal sealed partial class FusedStages
{
    // Handing an item from processor to processor costs some tens of ns; below this alone is faster.
    private const int LeastNanosecondsAnItem = 150;
    private const int BusySteps = 64;
    private const int Looks = 64;

    // Costly items: few of them are enough to amortise a call, and soon passed on to the helpers.
    private const int OpenQuantum = 64;
    private const int Stride = 16;

    private const int Free = 0;
    private const int Taken = 1;

    private static readonly long s_leastAnItem = Clock.Ticks(TimeSpan.FromMicroseconds(1)) * LeastNanosecondsAnItem / 1000;

    // What a wake-up costs: less work than that is done before help has come.
    private static readonly long s_leastBusy = Clock.Ticks(TimeSpan.FromMicroseconds(50));

    private readonly int[] _words = [];
    private readonly Progress? _help;
    private bool _isOpen;
    private int _inside;
    private int _busySteps;
    private long _busySince;
    private long _busyItems;
    private int _most; // items that one of the stages has handled in the last step

    /// <summary>The same with as many helpers as are asked for; <see cref="Helper"/> makes one each.</summary>
    public FusedStages(IReadOnlyList<Stage> stages, Ring ring)
        : this(stages)
    {
        _help = ring.Sequencer.NewProgress(0);
        _words = new int[stages.Count * Stride];
    }

    /// <summary>A unit for a further thread, which sleeps until the group is busy.</summary>
    public Steppable Helper() => new FusedHelper(this);

    /// <summary>What a helper waits for: its next value.</summary>
    internal Progress Help => _help!;

    /// <summary>Steps what there is to step and no other thread steps; how many items, or -1 where the group is closed.</summary>
    internal int HelpOut()
    {
        // ORDER: inside first, then whether it is open; pairs with Close, which closes first and then looks whether a thread is inside.
        Interlocked.Increment(ref _inside);
        int handled = Volatile.Read(ref _isOpen) ? 0 : -1;
        // What others are at is passed on soon, and waking up costs more than looking a few times.
        for (int looks = 0; handled >= 0 && looks < Looks && Volatile.Read(ref _isOpen); looks++)
        {
            bool progressed = false;
            // From the end: what is furthest goes on first, and the group's own thread comes from the front.
            for (int i = _stages.Length - 1; i >= 0 && Volatile.Read(ref _isOpen); i--)
            {
                if (!TryStep(i, int.MaxValue, out StepResult result) || result.Kind != StepKind.Progressed) continue;
                progressed = true;
                handled += result.Count;
            }

            if (progressed) looks = 0;
            else Thread.Yield();
        }

        int inside = Interlocked.Decrement(ref _inside);
        Debug.Assert(inside >= 0, "A helper leaves once.");
        return handled;
    }

    private StepResult StepWithHelp(int quantum)
    {
        if (!_isOpen)
        {
            StepResult alone = StepAlone(quantum);
            if (alone.Kind == StepKind.Progressed) CountBusy();
            else _busySteps = 0;
            return alone;
        }

        _most = 0;
        bool more = false;
        bool progressed = false;
        int count = 0;
        for (int i = 0; i < _stages.Length; i++)
        {
            if (!TryStep(i, quantum, out StepResult result)) continue;
            if (i == 0) count = result.Count;
            _most = Math.Max(_most, result.Count);
            more |= result.More;
            progressed |= result.Kind == StepKind.Progressed;
            if (result.Kind is not (StepKind.Stopped or StepKind.Pending)) continue;
            // Ends and pauses are for one thread.
            Close();
            return StepAlone(quantum);
        }

        if (progressed)
        {
            CountBusy();
            return new StepResult(StepKind.Progressed, count, more);
        }

        if (Volatile.Read(ref _inside) > 0)
        {
            // The others are at it, and what they pass on is soon to be had.
            Thread.Yield();
            return new StepResult(StepKind.Progressed, 0, More: true);
        }

        Close();
        return StepAlone(quantum);
    }

    private void CountBusy()
    {
        _busyItems += _most;
        if (_busySteps++ == 0)
        {
            _busySince = MachineClock.Now;
            _busyItems = 0;
            return;
        }

        // Steps of few items are many: the clock is read after 1, 2, 4, … of them.
        if (!int.IsPow2(_busySteps - 1)) return;
        long took = MachineClock.Now - _busySince;
        bool isDear = took > s_leastBusy && took > s_leastAnItem * _busyItems;
        if (isDear || _busySteps > BusySteps) _busySteps = 0;
        if (isDear) Open();
    }

    /// <summary>Lets helpers in, and wakes those that sleep; those inside go on. The group's own thread.</summary>
    internal void Open()
    {
        Volatile.Write(ref _isOpen, true);
        _help!.Advance(_help.ReadAcquire() + 1);
    }

    private void Close()
    {
        Volatile.Write(ref _isOpen, false);
        // ORDER: full; pairs with HelpOut.
        Interlocked.MemoryBarrier();
        while (Volatile.Read(ref _inside) > 0) Thread.Yield();
        _busySteps = 0;
    }

    private bool TryStep(int index, int quantum, out StepResult result)
    {
        ref int word = ref _words[index * Stride];
        // ORDER: taking acquires what the one before has left; pairs with the release below.
        if (Interlocked.CompareExchange(ref word, Taken, Free) != Free)
        {
            result = StepResult.Idle;
            return false;
        }

        result = StepStage(index, quantum, OpenQuantum);
        Debug.Assert(Volatile.Read(ref word) == Taken, "A stage has one stepper at a time.");
        Volatile.Write(ref word, Free);
        return true;
    }
}
