using System.Diagnostics;
using Raceway.Measuring;
using Raceway.Suites.RingSuite;

namespace Raceway.Lab.Tests.Suites.RingSuite;

/// <summary>The open loop on a clock that moves by one tick a reading, and by what the sender takes.</summary>
public sealed class ArrivalsTests
{
    private const int Step = 1_000;
    private const long Start = 1;

    private readonly Time _time = new();

    private static double Rate => (double)Stopwatch.Frequency / Step;

    [Fact]
    public void Send_KeepingUp_SendsEachItemWhenItIsDue()
    {
        List<(long Item, long At)> sent = Send(Arrivals.At(Rate), items: 5);

        Assert.Equal([1, 1_001, 2_001, 3_001, 4_001], sent.Select(one => one.Item));
        Assert.All(sent, one => Assert.Equal(one.Item, one.At));
    }

    [Fact]
    public void Send_Stalled_KeepsTheIntendedTimesAndCatchesUp()
    {
        _time.Stalls[2] = 3_500;

        List<(long Item, long At)> sent = Send(Arrivals.At(Rate), items: 8);

        Assert.Equal(Enumerable.Range(0, 8).Select(i => Start + (i * (long)Step)), sent.Select(one => one.Item));

        // Item 2 took until 5,501. What was due by the first reading after it follows without another one.
        Assert.Equal([1, 1_001, 2_001, 5_502, 5_502, 5_502, 6_001, 7_001], sent.Select(one => one.At));
    }

    [Fact]
    public void Send_TimedPublishing_RecordsTheCallAlone()
    {
        for (int i = 0; i < 10; i++)
        {
            _time.Stalls[i] = 70;
        }

        var calls = new LatencyHistogram();
        Send(Arrivals.TimedAt(Rate), items: 10, calls);

        // The call, and the reading after it.
        Assert.Equal(10, calls.Count);
        Assert.Equal(StopwatchClock.NanosecondsOf(71), calls.Min);
        Assert.Equal(StopwatchClock.NanosecondsOf(71), calls.Max);
    }

    [Fact]
    public void Send_AtFullSpeed_SendsAllAtOnce()
    {
        List<(long Item, long At)> sent = Send(Arrivals.AtFullSpeed, items: 100);

        Assert.All(sent, one => Assert.Equal((Start, Start), one));
    }

    [Fact]
    public void Send_AfterAGap_NeverCatchesUp()
    {
        _time.Stalls[1] = 3_500;
        var calls = new LatencyHistogram();

        List<(long Item, long At)> sent = Send(
            Arrivals.TimedAfter(TimeSpan.FromSeconds((double)Step / Stopwatch.Frequency)), items: 4, calls);

        // A reading before and one after each call; the gap begins with the latter.
        Assert.Equal([1_001, 2_003, 6_505, 7_507], sent.Select(one => one.Item));
        Assert.Equal(StopwatchClock.NanosecondsOf(3_501), calls.Max);
    }

    [Fact]
    public void Send_AfterSleeping_SendsTheTimeOfSending()
    {
        List<(long Item, long At)> sent = Send(Arrivals.AfterSleep(TimeSpan.FromMilliseconds(1), 3), items: 3);

        Assert.Equal([2, 3, 4], sent.Select(one => one.Item));
    }

    [Fact]
    public void Send_Cancelled_Throws() => Assert.ThrowsAny<OperationCanceledException>(
        () => Arrivals.At(Rate).Send(new Sender(_time, []), new Clock(_time), 1, null, null, new CancellationToken(true)));

    [Fact]
    public void Send_CorruptItem_IsInTheTallyAsItShouldBe()
    {
        var sent = new List<(long Item, long At)>();
        Tally tally = Arrivals.At(Rate).Send(new Sender(_time, sent), new Clock(_time), 3, null, corrupt: 1, default);

        Assert.Equal(1 + 1_001 + 2_001, tally.Sum);
        Assert.NotEqual(1_001, sent[1].Item);
    }

    [Theory]
    [InlineData(new long[] { 5, 6, 7 }, true)]
    [InlineData(new long[] { 5, 7, 6 }, false)]
    [InlineData(new long[] { 5, 6 }, false)]
    [InlineData(new long[] { 5, 5, 8 }, false)]
    [InlineData(new long[] { 5, 6, 7, 0 }, false)]
    public void Equals_OtherItems_OnlyTheSameInOrder(long[] items, bool same)
    {
        Assert.Equal(same, Of([5, 6, 7]) == Of(items));

        static Tally Of(long[] items)
        {
            Tally tally = default;
            foreach (long item in items)
            {
                tally.Take(item);
            }

            return tally;
        }
    }

    private List<(long Item, long At)> Send(Arrivals arrivals, int items, LatencyHistogram? calls = null)
    {
        var sent = new List<(long Item, long At)>();
        Tally tally = arrivals.Send(new Sender(_time, sent), new Clock(_time), items, calls, null, default);
        Assert.Equal(items, tally.Count);
        return sent;
    }

    private sealed class Time
    {
        public long Now { get; set; }

        /// <summary>How long the sending of some items takes.</summary>
        public Dictionary<int, long> Stalls { get; } = [];
    }

    private readonly struct Clock(Time time) : IClock
    {
        public long Now => ++time.Now;
    }

    private readonly struct Sender(Time time, List<(long Item, long At)> sent) : ISender
    {
        public void Send(long item)
        {
            sent.Add((item, time.Now));
            time.Now += time.Stalls.GetValueOrDefault(sent.Count - 1);
        }
    }
}
