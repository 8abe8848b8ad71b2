using System.Diagnostics;
using Raceway.Measuring;
using Raceway.Pipelines;
using Raceway.Rings;

namespace Raceway.Analysis.Tuning;

/// <summary>One trial of a pipeline of ours.</summary>
internal sealed class RingTrial<T>(ITrial<T> trial, TrialRequest request, CancellationToken cancellation)
{
    // An ended round leaves nothing behind but a handler that hangs.
    private static readonly TimeSpan s_grace = TimeSpan.FromSeconds(2);

    private static readonly TimeSpan s_stuck = TimeSpan.FromMilliseconds(50);

    private readonly TrialWatch _watch = new(request);
    private bool _isDrained;
    private bool _isComplete;

    public TrialReply Run()
    {
        Pipeline<T> pipeline = trial.Build(Knobs.ToSettings(request.Knobs))
            ?? throw new InvalidOperationException("Build returned null. Return what .Build(settings) gave.");
        try
        {
            pipeline.StartAsync().GetAwaiter().GetResult();
            return request.Rate is { } rate ? Paced(pipeline, rate) : AtFullSpeed(pipeline);
        }
        catch (Exception) when (pipeline.Completion.Exception?.GetBaseException() is { } fault)
        {
            throw new InvalidOperationException($"a stage threw {fault.GetType().Name}: {fault.Message}", fault);
        }
        finally
        {
            Task.WhenAny(pipeline.HaltAsync(), Task.Delay(s_grace, CancellationToken.None)).GetAwaiter().GetResult();
        }
    }

    private TrialReply AtFullSpeed(Pipeline<T> pipeline)
    {
        using Producer<T> producer = ProducerOf(pipeline);
        int group = GroupOf(producer);
        Placement.StartApart(0);
        _watch.Begin(pipeline);
        Usage usage = Usage.Start();
        long start = Stopwatch.GetTimestamp();
        long end = start + (long)(Math.Min(request.Seconds, 1e6) * Stopwatch.Frequency);
        long sent = 0;
        bool isFull = false;
        for (long now = start; sent < request.Items && now < end; now = Stopwatch.GetTimestamp())
        {
            int count = (int)Math.Min(group, request.Items - sent);
            if (!isFull)
            {
                // A slow stage behind a large ring that is filled at once would be waited for long after the round.
                long passed = sent - pipeline.Backlog;
                // Where nothing at all comes through, a stage may wait for a larger batch.
                isFull = passed >= producer.Ring.Capacity || (passed == 0 && Stopwatch.GetElapsedTime(start) > s_stuck);
                count = (int)Math.Min(count, OpenLoop.WindowAfter(passed) - (sent - passed));
                if (count <= 0)
                {
                    Thread.Yield();
                    cancellation.ThrowIfCancellationRequested();
                    if (pipeline.Completion.IsFaulted) pipeline.Completion.GetAwaiter().GetResult();
                    continue;
                }
            }

            using Claim<T> claim = producer.Claim(count, cancellation);
            foreach (ref T slot in claim) trial.Fill(ref slot, sent++);
            claim.Commit();
            _watch.Look(pipeline, now - start);
        }

        _watch.End(pipeline);
        long finished = Drain(pipeline);
        return _watch.Reply(pipeline, sent, usage.Stop(finished), trial);
    }

    private TrialReply Paced(Pipeline<T> pipeline, double rate)
    {
        using Producer<T> producer = ProducerOf(pipeline);
        _watch.Begin(pipeline);
        PacedRound round = _watch.Send(
            new Outlet(pipeline, producer, trial), rate, GroupOf(producer), ticks => _watch.Look(pipeline, ticks),
            () =>
            {
                _watch.End(pipeline);
                return Wait(pipeline);
            },
            cancellation);
        if (!_isDrained) Drain(pipeline);
        return _watch.Reply(pipeline, round, trial);
    }

    /// <summary>Waits, and says when the last item was through, with what it had left under way. The pipeline goes on, where it can.</summary>
    private long Wait(Pipeline<T> pipeline)
    {
        long last = pipeline.Backlog;
        long since = Stopwatch.GetTimestamp();
        while (last > 0 && !pipeline.Completion.IsCompleted)
        {
            Thread.Yield();
            cancellation.ThrowIfCancellationRequested();
            long now = pipeline.Backlog;
            if (now != last) (last, since) = (now, Stopwatch.GetTimestamp());
            // A stage that waits for a larger batch has it only from the end.
            if (Stopwatch.GetElapsedTime(since) <= s_stuck) continue;
            return Drain(pipeline);
        }

        if (last == 0) Complete();
        return Stopwatch.GetTimestamp();
    }

    /// <summary>When the last item was through, with what it had left under way.</summary>
    private long Drain(Pipeline<T> pipeline)
    {
        _isDrained = true;
        Task<DrainResult> drained = pipeline.DrainAsync(Timeout.InfiniteTimeSpan, cancellation);
        // A thread that waits for the task is woken late; one that polls without a pause takes a processor from the stages.
        while (pipeline.Backlog > 0 && !drained.IsCompleted) Thread.Yield();
        // What has failed leaves items behind, and completes nothing.
        if (pipeline.Backlog == 0) Complete();
        long finished = Stopwatch.GetTimestamp();
        drained.GetAwaiter().GetResult();
        pipeline.Completion.GetAwaiter().GetResult();
        return finished;
    }

    private void Complete()
    {
        if (!_isComplete) (trial as IUnderWay)?.Complete();
        _isComplete = true;
    }

    /// <summary>A handle of the kind that the ring has.</summary>
    internal static Producer<T> ProducerOf(Pipeline<T> pipeline)
    {
        try
        {
            return pipeline.CreateProducer();
        }
        catch (InvalidOperationException)
        {
            // A ring that several threads may publish into has no other handles.
            return pipeline.CreateMultiProducer();
        }
    }

    /// <summary>The most items to publish at once: what is due, but never so much that a small ring is filled by it.</summary>
    internal static int GroupOf(Producer<T> producer) =>
        Math.Clamp(producer.Ring.Capacity / 4, 1, Math.Min(OpenLoop.LargestGroup, producer.MaxClaim));

    private readonly struct Outlet(Pipeline<T> pipeline, Producer<T> producer, ITrial<T> trial) : IOutlet
    {
        private readonly Ring[] _rings = [.. pipeline.Rings];
        private readonly Counter _sent = new();

        /// <summary>
        /// What is in no ring any more. Each ring is looked at before the one that it feeds, so an item on its way is counted
        /// twice rather than not at all.
        /// </summary>
        public long Passed
        {
            get
            {
                long passed = _sent.Value;
                foreach (Ring ring in _rings) passed -= ring.Backlog;
                return passed;
            }
        }

        public int TryPublish(long first, int count)
        {
            ClaimStatus status = producer.TryClaim(count, out Claim<T> claim);
            if (status == ClaimStatus.Full && (count = Math.Min(count, producer.Remaining)) > 0)
                status = producer.TryClaim(count, out claim);
            if (status is not ClaimStatus.Done)
                return status == ClaimStatus.Full ? 0 : throw new InvalidOperationException($"the pipeline has ended: {pipeline.State}");
            using Claim<T> owned = claim;
            foreach (ref T slot in owned) trial.Fill(ref slot, first++);
            owned.Commit();
            _sent.Value += count;
            return count;
        }

        private sealed class Counter
        {
            public long Value;
        }
    }
}
