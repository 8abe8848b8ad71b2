using System.Diagnostics;
using System.Threading.Channels;
using Raceway.Measuring;
using Raceway.Pipelines;
using Raceway.Rings;
using Raceway.Suites.PlansSuite;

namespace Raceway.Analysis.Tuning;

/// <summary>The same stage bodies behind a bounded Channel: one task reads what is there and runs all stages over it.</summary>
/// <remarks>
/// What travels is the number of the item; the consumer fills it, which is never more than a Channel of items would copy. The
/// bodies are called through the pipeline's own stages, stepped by the consumer over what it has read, up to 64 items at a
/// time: an item costs some tens of nanoseconds of that beside the Channel itself.
/// </remarks>
internal sealed class ChannelTrial<T>(ITrial<T> trial, TrialRequest request, CancellationToken cancellation)
{
    private const int LargestBatch = 64;
    private static readonly TimeSpan s_grace = TimeSpan.FromSeconds(2);
    private readonly TrialWatch _watch = new(request);

    public TrialReply Run()
    {
        Pipeline<T> pipeline = trial.Build(new PipelineSettings { Plan = Plan.Manual, Dispatch = Dispatch.Batch() });
        Channel<long> channel = Channel.CreateBounded<long>(
            new BoundedChannelOptions(pipeline.Ring.Capacity) { SingleReader = true, SingleWriter = true });
        var passed = new Arrived();
        Task consumer = Task.CompletedTask;
        try
        {
            pipeline.StartAsync().GetAwaiter().GetResult();
            consumer = Task.Run(() => Consume(channel, pipeline, passed), CancellationToken.None);
            return request.Rate is { } rate
                ? Paced(channel, pipeline, passed, rate, consumer)
                : AtFullSpeed(channel, pipeline, passed, consumer);
        }
        finally
        {
            channel.Writer.TryComplete();
            // Two threads must not step the same stages: one that is stuck in them is left behind with them.
            if (Task.WaitAny([consumer], s_grace) >= 0) End(pipeline);
        }
    }

    private TrialReply AtFullSpeed(Channel<long> channel, Pipeline<T> pipeline, Arrived passed, Task consumer)
    {
        Usage usage = Usage.Start();
        Task<long> producer = Task.Run(() => Produce(channel.Writer, passed, consumer), CancellationToken.None);
        Task.WhenAll(producer, consumer).GetAwaiter().GetResult();
        (trial as IUnderWay)?.Complete();
        return _watch.Reply(pipeline, producer.Result, usage.Stop(), trial);
    }

    private TrialReply Paced(Channel<long> channel, Pipeline<T> pipeline, Arrived passed, double rate, Task consumer)
    {
        PacedRound round = _watch.Send(
            new Outlet(channel.Writer, passed, consumer), rate, OpenLoop.LargestGroup, look: null,
            () =>
            {
                channel.Writer.Complete();
                consumer.GetAwaiter().GetResult();
                (trial as IUnderWay)?.Complete();
                return Stopwatch.GetTimestamp();
            },
            cancellation);
        return _watch.Reply(pipeline, round, trial);
    }

    private async Task<long> Produce(ChannelWriter<long> writer, Arrived passed, Task consumer)
    {
        long start = Stopwatch.GetTimestamp();
        long end = start + (long)(Math.Min(request.Seconds, 1e6) * Stopwatch.Frequency);
        long sent = 0;
        while (sent < request.Items && Stopwatch.GetTimestamp() < end)
        {
            long through = passed.Count;
            long last = Math.Min(Math.Min(request.Items, sent + OpenLoop.LargestGroup), through + OpenLoop.WindowAfter(through));
            if (last <= sent)
            {
                // As with a ring: nothing is filled that would be waited for long after the round.
                await Task.Yield();
                cancellation.ThrowIfCancellationRequested();
                if (consumer.IsCompleted) await consumer.ConfigureAwait(false);
            }

            for (; sent < last; sent++)
            {
                while (!writer.TryWrite(sent)) await writer.WaitToWriteAsync(cancellation).ConfigureAwait(false);
            }
        }

        writer.Complete();
        return sent;
    }

    private async Task Consume(Channel<long> channel, Pipeline<T> pipeline, Arrived passed)
    {
        try
        {
            Stage[] stages = [.. pipeline.Stages];
            using Producer<T> producer = RingTrial<T>.ProducerOf(pipeline);
            int most = Math.Min(LargestBatch, RingTrial<T>.GroupOf(producer));
            var numbers = new long[most];
            while (await channel.Reader.WaitToReadAsync(cancellation).ConfigureAwait(false))
            {
                for (int count; (count = Read(channel.Reader, numbers)) > 0;)
                {
                    Publish(producer, numbers.AsSpan(0, count));
                    while (pipeline.Backlog > 0)
                    {
                        if (!Step(stages)) await Task.Yield();
                        if (pipeline.Completion.IsFaulted) await pipeline.Completion.ConfigureAwait(false);
                        cancellation.ThrowIfCancellationRequested();
                    }

                    passed.Add(count);
                }
            }
        }
        catch (Exception error)
        {
            // A producer that waits for room must hear of it.
            channel.Writer.TryComplete(error);
            throw;
        }
    }

    private static int Read(ChannelReader<long> reader, Span<long> numbers)
    {
        int count = 0;
        while (count < numbers.Length && reader.TryRead(out numbers[count])) count++;
        return count;
    }

    private void Publish(Producer<T> producer, ReadOnlySpan<long> numbers)
    {
        using Claim<T> claim = producer.Claim(numbers.Length);
        int at = 0;
        foreach (ref T slot in claim) trial.Fill(ref slot, numbers[at++]);
        claim.Commit();
    }

    private static bool Step(Stage[] stages)
    {
        bool progressed = false;
        foreach (Stage stage in stages) progressed |= stage.Step().Kind == StepKind.Progressed;
        return progressed;
    }

    // No other thread steps the stages to their end.
    private static void End(Pipeline<T> pipeline)
    {
        Task halted = pipeline.HaltAsync();
        Stage[] stages = [.. pipeline.Stages];
        while (!halted.IsCompleted && Array.Exists(stages, static stage => stage.Step().Kind != StepKind.Stopped)) Thread.Yield();
    }

    private readonly struct Outlet(ChannelWriter<long> writer, Arrived passed, Task consumer) : IOutlet
    {
        public long Passed => passed.Count;

        public int TryPublish(long first, int count)
        {
            int sent = 0;
            while (sent < count && writer.TryWrite(first + sent)) sent++;
            // What has failed takes nothing any more.
            if (sent == 0 && consumer.IsCompleted) consumer.GetAwaiter().GetResult();
            return sent;
        }
    }
}
