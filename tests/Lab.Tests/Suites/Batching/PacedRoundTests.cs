using Raceway.Measuring;
using Raceway.Rings;
using Raceway.Suites.Batching;

namespace Raceway.Lab.Tests.Suites.Batching;

/// <summary>Rounds in which jobs come at a rate.</summary>
public sealed class PacedRoundTests
{
    // The ring, or the channel, is full long before the round is cut.
    private const double Rate = 10 * RacewayBatching.Capacity;

    /// <summary>The publisher waits for room when the round is cut: it must not wait for a reader that has left.</summary>
    [Theory]
    [InlineData("channel")]
    [InlineData("channel-batched")]
    [InlineData("raceway")]
    public async Task Run_WorkThatDoesNotKeepUp_IsCutAndSaysSo(string name)
    {
        var kind = new BatchingCase("slow", "", Rate, static _ => new SlowWork());
        using BatchingContestant contestant = name switch
        {
            "channel" => new ChannelBatching(name, kind, Arrival.FixedRate, 1),
            "channel-batched" => new ChannelBatching(name, kind, Arrival.FixedRate, 8),
            _ => new RacewayBatching(name, kind, Arrival.FixedRate, Dispatch.Single),
        };

        Sample sample = await Watchdog.Run(() => contestant.Run((long)(Rate / 4), CancellationToken.None)).OrHang();

        Assert.True(sample.Verified);
        Assert.InRange(sample.Operations, 1, (long)(Rate / 4) - 1);
        Assert.Equal("does not keep up", contestant.Note);
    }

    /// <summary>A few milliseconds a call.</summary>
    private sealed class SlowWork : IBatchWork
    {
        private long _done;

        public void Begin() => _done = 0;

        public void Do(ReadOnlySpan<Job> jobs)
        {
            Thread.Sleep(5);
            _done += jobs.Length;
        }

        public void Complete()
        {
        }

        public bool Verify(long jobs) => _done == jobs;

        public void Dispose()
        {
        }
    }
}
