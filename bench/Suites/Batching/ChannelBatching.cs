using System.Threading.Channels;

namespace Raceway.Suites.Batching;

/// <summary>A bounded Channel and a task that reads it, as a .NET programmer would write it: job by job, or what is there up to a limit.</summary>
/// <param name="name">The name in the rows.</param>
/// <param name="one">The case.</param>
/// <param name="arrival">How jobs come.</param>
/// <param name="most">The most jobs of a call.</param>
internal sealed class ChannelBatching(string name, BatchingCase one, Arrival arrival, int most) : BatchingContestant(name, one, arrival)
{
    /// <inheritdoc/>
    protected override void Drive(JobFeed feed, WorkStage stage)
    {
        var channel = Channel.CreateBounded<Job>(
            new BoundedChannelOptions(RacewayBatching.Capacity) { SingleReader = true, SingleWriter = true });
        Task reading = Task.Run(() => ReadAsync(channel.Reader, feed, stage));
        // Where the work fails or the round is cut, a publisher that waits for room must not wait forever.
        _ = reading.ContinueWith(_ => channel.Writer.TryComplete(), TaskScheduler.Default);
        feed.Start();
        bool isOpen = true;
        while (isOpen && feed.Next(out Job job))
        {
            while (!channel.Writer.TryWrite(job) && isOpen) isOpen = channel.Writer.WaitToWriteAsync().AsTask().GetAwaiter().GetResult();
        }

        channel.Writer.TryComplete();
        reading.GetAwaiter().GetResult();
    }

    private async Task ReadAsync(ChannelReader<Job> reader, JobFeed feed, WorkStage stage)
    {
        var jobs = new Job[most];
        while (await reader.WaitToReadAsync().ConfigureAwait(false))
        {
            int count;
            do
            {
                for (count = 0; count < jobs.Length && reader.TryRead(out Job job); count++) jobs[count] = job;
                if (count > 0) stage.Do(jobs.AsSpan(0, count));
            }
            while (count > 0 && !feed.IsCut);
            if (feed.IsCut) return;
        }
    }
}
