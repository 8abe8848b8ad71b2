using Raceway.Analysis.SharingStudy;
using Raceway.Measuring;

namespace Raceway.Lab.Tests.Measuring;

public sealed class PerfCountersTests
{
    [Fact]
    public void Open_Anywhere_CountsOrSaysWhyNot()
    {
        using PerfCounters counters = PerfCounters.Open();

        Assert.Equal(counters.Metrics.Count(), counters.Read().Length);
        if (counters.Metrics.Contains("cache-misses")) return;
        Assert.StartsWith("Hardware counters: no", counters.Missing, StringComparison.Ordinal);
        Assert.EndsWith(".", counters.Missing, StringComparison.Ordinal);
    }

    [Fact]
    public void Read_ThreadsThatWaited_AreCounted()
    {
        using PerfCounters counters = PerfCounters.Open();
        int switches = counters.Metrics.ToList().IndexOf("context-switches");
        if (switches < 0)
        {
            Assert.Contains("context-switches", counters.Missing ?? "context-switches", StringComparison.Ordinal);
            return;
        }

        long before = counters.Read()[switches];
        using var ready = new SemaphoreSlim(0);
        using var go = new SemaphoreSlim(0);
        var thread = new Thread(() =>
        {
            ready.Release();
            go.Wait();
        });
        thread.Start();
        ready.Wait();
        go.Release();
        thread.Join();

        // One of the two slept at least once, whatever the number of processors.
        Assert.InRange(counters.Read()[switches], before + 1, long.MaxValue);
    }

    [Fact]
    public void Run_CountedContestant_AddsWhatWasCounted()
    {
        using PerfCounters counters = PerfCounters.Open();
        var inner = new CellContestant(CellOperation.Locked, stride: 64, threads: 2);
        var counted = new CountedContestant(inner, counters);

        Sample sample = counted.Run(1_000, default);

        Assert.True(sample.Verified);
        Assert.Equal(counters.Metrics, sample.Counts.Select(static count => count.Metric));
        Assert.Equal((inner.Name, inner.Knobs), (counted.Name, counted.Knobs));
    }
}
