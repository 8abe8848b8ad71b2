namespace Raceway.Rings;

/// <summary>See <see cref="Wait.Adaptive"/>.</summary>
internal sealed class AdaptiveWait() : Wait("adaptive")
{
    internal override Waiting Create(in WaitContext context) => new AdaptiveWaiting(context);
}

/// <summary>Lets batches form under load, and only then.</summary>
/// <remarks>
/// A consumer that polls the cursor hard takes its line from the publisher on every message; both then run at the speed of
/// that line. Left alone for a moment, one transfer brings many. The pause grows while polls hit at once with batches that
/// are small, but not too small for a pause so long (work queues because it comes fast, not because of the pause). It is
/// left out, and halved, where a poll after a batch found nothing (the consumer keeps up). So nothing is held back at low
/// load. First stages only: the others' upstream already moves in batches. Producers likewise: where a full ring gives room
/// in drops, they let some gather. <see cref="Gather"/> is for a caller that knows the load.
/// </remarks>
internal class AdaptiveWaiting : Waiting
{
    private const int MostGathered = 2048;
    // A pause is bounded in time: a multi-producer publisher needs longer to put a batch together.
    private const double MaxPauseNanoseconds = 10_000;
    private const double MaxPauseMultiNanoseconds = 24_000;
    private const double FillNanoseconds = 1;
    private const double FillMultiNanoseconds = 8;
    // Items that come further apart than this gain nothing from company: each would wait longer than its share of a line takes. A
    // line takes 200 ns or more between cores that share no cache, so each of eight 8-byte items pays 25 ns of it.
    private const double ApartNanoseconds = 25;
    private const double ApartMultiNanoseconds = 50;
    // Polling without giving the processor away pays for a few µs only: after that, the thread that we wait for may need it.
    private const double SpinNanoseconds = 5_000;
    private const int PausesBetweenLooks = 10; // while items gather
    private const int Yields = 32;
    private const int PollsBetweenYields = 32;
    private const int CrowdedYields = 64;
    // Of a producer fewer: many of them may wait for one thread, and each of their turns is one that this thread does not have.
    private const int CrowdedYieldsOfProducer = 16;

    // A yield that took longer has let another thread run: there are more threads than processors. Alone it takes under 1 µs.
    private static readonly long s_crowded = Clock.Ticks(TimeSpan.FromMicroseconds(3));

    private readonly bool _gathers;
    private readonly int _target;
    private readonly int _maxPause;
    private readonly double _pausesAnItem;
    private readonly int _pollPauses;
    private readonly int _polls;
    private readonly int _crowdedYields;
    private bool _keptUp = true;
    private int _pause;
    private bool _crowded; // when it waited last

    public AdaptiveWaiting(in WaitContext context)
    {
        _gathers = context.LeadsChain || context.IsProducer;
        // Of a small ring no more than an eighth may gather, or its producers stall.
        _target = Math.Min(MostGathered, Math.Max(1, context.Capacity / 8));
        double longest = context.HasStamps ? MaxPauseMultiNanoseconds : MaxPauseNanoseconds;
        // Nor for longer than a small ring takes to fill.
        double fill = context.Capacity * (context.HasStamps ? FillMultiNanoseconds : FillNanoseconds);
        _maxPause = Cpu.PausesIn(Math.Min(longest, fill));
        _pausesAnItem = (context.HasStamps ? ApartMultiNanoseconds : ApartNanoseconds) / Cpu.PauseNanoseconds;
        // A producer that waits for room polls rarely: each poll takes the line of the stage it waits for.
        _pollPauses = context.IsProducer ? Cpu.PausesIn(Math.Min(300, fill / 4)) : 1;
        _polls = Cpu.IsAlone ? 1 : Cpu.PausesIn(SpinNanoseconds) / _pollPauses;
        _crowdedYields = context.IsProducer ? CrowdedYieldsOfProducer : CrowdedYields;
    }

    public override void Progressed(int count, bool more)
    {
        if (_keptUp)
        {
            _keptUp = false;
            _pause /= 2;
            return;
        }

        if (!_gathers || more) return;
        bool gains = count < _target && count * _pausesAnItem >= _pause;
        _pause = gains ? Math.Min(Math.Max(1, _pause * 2), _maxPause) : _pause / 2;
        Cpu.Pause(_pause);
    }

    /// <summary>A first stage's wait under load is over: lets items gather for some microseconds, as more of them follow soon.</summary>
    /// <remarks>A stage that takes each item at once has the line that the producer writes next. Then both stay at the speed of that
    /// line, and the stage never finds a batch.</remarks>
    /// <param name="target">What the wait was for.</param>
    public void Gather(in WaitTarget target)
    {
        if (!_gathers) return;
        long awaited = target.Awaited + _target - 1;
        for (int paused = 0; paused < _maxPause && !target.Cell.IsReached(awaited); paused += PausesBetweenLooks)
        {
            Cpu.Pause(PausesBetweenLooks);
        }
    }

    protected override bool WaitFor(in WaitTarget target) => Spin(target, 1);

    /// <summary>Polls for about 50 µs, or that over <paramref name="share"/>; true once the target is over.</summary>
    protected bool Spin(in WaitTarget target, int share)
    {
        _keptUp = true;
        // In a crowd the thread that we wait for may need this processor, and polling would keep it from them.
        if (!_crowded && Poll(target, _polls / share, _pollPauses)) return true;
        if (share > Yields) return false;
        long from = MachineClock.Now;
        Thread.Yield();
        _crowded = MachineClock.Now - from > s_crowded;
        if (_crowded)
        {
            // Others are at work, perhaps for us: some more turns for them cost less than a sleep and its wake-up.
            for (int i = 0; i < _crowdedYields && !target.IsOver; i++) Thread.Yield();
            return target.IsOver;
        }

        for (int i = 1; i < Yields / share; i++)
        {
            if (Poll(target, PollsBetweenYields, pauses: 1)) return true;
            Thread.Yield();
        }

        return target.IsOver;
    }
}
