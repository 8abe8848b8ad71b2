using Raceway.Rings;
using Raceway.Testing;

namespace Raceway.Pipelines.Tests.Testing;

/// <summary>A source and a sink on public members alone keep their contracts, and each that breaks a rule is told which.</summary>
public sealed class EndContractTests
{
    // For what hangs by its breach. Long enough for the checks before it, also where all other tests run at the same time.
    private static readonly TimeSpan s_soon = TimeSpan.FromSeconds(8);

    [Fact]
    public void SourceContract_ByThePublisher_Passes() => SourceContract.Check(Publish);

    [Fact]
    public void SourceContract_ByAProducer_Passes() => SourceContract.Check(static async (pipeline, items, token) =>
    {
        using Producer<long> producer = pipeline.Ring.CreateAnyProducer();
        foreach (long item in items) await producer.PublishAsync(item, token).ConfigureAwait(false);
        pipeline.TryComplete();
    });

    [Fact]
    public void SourceContract_OneThatDropsWhereTheRingIsFull_IsABreach() => AssertSource(
        "Every item must arrive once", static async (pipeline, items, token) =>
        {
            // The contract's handler holds the first item until the ring is full: what is tried then is lost.
            foreach (long item in items)
            {
                if (item < 100) await pipeline.Publisher.PublishAsync(item, token).ConfigureAwait(false);
                else pipeline.Publisher.TryPublish(item);
            }

            pipeline.TryComplete();
            while (pipeline.State != RingState.Stopped) await Task.Delay(1, token).ConfigureAwait(false);
        });

    [Fact]
    public void SourceContract_OneThatNeverSaysItsEnd_IsABreach() => AssertSource(
        "behind the last one the pipeline must end", static async (pipeline, items, token) =>
        {
            foreach (long item in items) await pipeline.Publisher.PublishAsync(item, token).ConfigureAwait(false);
        }, s_soon);

    [Fact]
    public void SourceContract_OneThatEndsAsIfAllWereWell_IsABreach() => AssertSource(
        "A halt must end a source", static async (pipeline, items, token) =>
        {
            try
            {
                await Publish(pipeline, items, token).ConfigureAwait(false);
            }
            catch (RingStoppedException)
            {
            }
        });

    [Fact]
    public void SourceContract_OneThatHidesAFault_IsABreach() => AssertSource(
        "A fault must end a source", static async (pipeline, items, token) =>
        {
            try
            {
                await Publish(pipeline, items, token).ConfigureAwait(false);
            }
            catch (RingFaultedException)
            {
            }
        });

    [Fact]
    public void SourceContract_OneThatStopsWhileThereIsRoom_IsABreach() => AssertSource(
        "go on while there is room", static (pipeline, items, token) => Publish(pipeline, [.. items.Take(10)], token));

    [Fact]
    public void SourceContract_OneThatDoesNotListen_IsABreach() => AssertSource(
        "A token must end a source", static (pipeline, items, _) => Publish(pipeline, items, CancellationToken.None));

    [Fact]
    public void SourceContract_OneThatCompletesWhenItIsCancelled_IsABreach() => AssertSource(
        "leave the pipeline open", static async (pipeline, items, token) =>
        {
            try
            {
                await Publish(pipeline, items, token).ConfigureAwait(false);
            }
            finally
            {
                pipeline.TryComplete();
            }
        });

    [Fact]
    public void SourceFailure_ToldToThePipeline_Passes() => SourceContract.CheckFailure(static async (pipeline, error, token) =>
    {
        await pipeline.Publisher.PublishAsync(1, token).ConfigureAwait(false);
        pipeline.TryComplete(error);
    });

    [Fact]
    public void SourceFailure_TakenForTheEnd_IsABreach()
    {
        ContractException breach = Assert.Throws<ContractException>(() => SourceContract.CheckFailure(static (pipeline, _, _) =>
        {
            pipeline.TryComplete();
            return Task.CompletedTask;
        }));
        Assert.Contains("must fault its pipeline", breach.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void SinkContract_ByBatches_Passes() => SinkContract.Check(Poll);

    // It would go on in the user's tests that follow.
    [Fact]
    public void Contracts_WhatBreaksARule_IsCancelled()
    {
        CancellationToken source = default, sink = default;

        Assert.Throws<ContractException>(() => SourceContract.Check(
            (_, _, token) =>
            {
                source = token;
                return Task.CompletedTask;
            }, s_soon));
        Assert.Throws<ContractException>(() => SinkContract.Check(
            (_, _, token) =>
            {
                sink = token;
                return Task.CompletedTask;
            }, s_soon));

        Assert.True(source.IsCancellationRequested);
        Assert.True(sink.IsCancellationRequested);
    }

    [Fact]
    public void SinkContract_OneThatForgetsItems_IsABreach() => AssertSink(
        "Every item must come out once", static (poller, take, token) => Poll(poller, item =>
        {
            if (item != 1_000) take(item);
        }, token));

    [Fact]
    public void SinkContract_OneThatKeepsItsBatches_IsABreach() => AssertSink(
        "Every item must come out once", static async (poller, take, token) =>
        {
            while (true)
            {
                Hold(poller, take);
                await Task.Delay(1, token).ConfigureAwait(false);
            }

            static void Hold(Poller<long> poller, Action<long> take)
            {
                foreach (long item in poller.Poll()) take(item);
            }
        }, s_soon);

    [Fact]
    public void SinkContract_OneThatWaitsForMoreBehindAHalt_IsABreach() => AssertSink(
        "A halt must end a sink", static async (poller, take, token) =>
        {
            int taken = 0;
            void Count(long item)
            {
                take(item);
                taken++;
            }

            while (Some(poller, Count) is var status && (status != PollStatus.Ended || taken < 100))
            {
                token.ThrowIfCancellationRequested();
                if (status == PollStatus.Idle) await poller.WaitAsync(token).ConfigureAwait(false);
                else if (status == PollStatus.Ended) await Task.Delay(1, token).ConfigureAwait(false);
            }

            await poller.Completion.ConfigureAwait(false);
        }, s_soon);

    [Fact]
    public void SinkContract_OneThatLeavesABatchOpen_IsABreach() => AssertSink(
        "no batch may stay open", static async (poller, take, token) =>
        {
            while (Take(poller, take) is var status and not PollStatus.Ended)
            {
                token.ThrowIfCancellationRequested();
                if (status == PollStatus.Idle) await poller.WaitAsync(token).ConfigureAwait(false);
            }

            await poller.Completion.ConfigureAwait(false);

            static PollStatus Take(Poller<long> poller, Action<long> take)
            {
                PolledBatch<long> batch = poller.Poll(16);
                foreach (long item in batch) take(item);
                // Not where an item has thrown.
                batch.Dispose();
                return batch.Status;
            }
        }, s_soon);

    [Fact]
    public void SinkContract_OneThatEndsAsIfAllWereWell_IsABreach() => AssertSink(
        "A fault of another stage", static async (poller, take, token) =>
        {
            while (Some(poller, take) is var status and not PollStatus.Ended)
                if (status == PollStatus.Idle) await poller.WaitAsync(token).ConfigureAwait(false);
        });

    [Fact]
    public void SinkContract_OneThatPassesOverWhatFails_IsABreach() => AssertSink(
        "An item that cannot be taken", static (poller, take, token) => Poll(poller, item =>
        {
            try
            {
                take(item);
            }
            catch (FormatException)
            {
            }
        }, token));

    [Fact]
    public void SinkContract_OneThatDoesNotListen_IsABreach() => AssertSink(
        "A token must end a sink", static (poller, take, _) => Poll(poller, take, CancellationToken.None), s_soon);

    [Fact]
    public void SinkContract_OneThatLosesARestOfABatch_IsABreach() => AssertSink(
        "the next one must go on", static async (poller, take, token) =>
        {
            while (Take(poller, take, token) is var status and not PollStatus.Ended)
                if (status == PollStatus.Idle) await poller.WaitAsync(token).ConfigureAwait(false);
            await poller.Completion.ConfigureAwait(false);

            static PollStatus Take(Poller<long> poller, Action<long> take, CancellationToken token)
            {
                using PolledBatch<long> batch = poller.Poll();
                int done = 0;
                try
                {
                    foreach (long item in batch)
                    {
                        take(item);
                        batch.Items.Complete(++done);
                        // The rest is given back as if it were done.
                        token.ThrowIfCancellationRequested();
                    }
                }
                catch (FormatException fault)
                {
                    batch.Fail(fault);
                }

                return batch.Status;
            }
        });

    private static async Task Publish(Pipeline<long> pipeline, IReadOnlyList<long> items, CancellationToken token)
    {
        foreach (long item in items) await pipeline.Publisher.PublishAsync(item, token).ConfigureAwait(false);
        pipeline.TryComplete();
    }

    private static async Task Poll(Poller<long> poller, Action<long> take, CancellationToken token)
    {
        while (Some(poller, take) is var status and not PollStatus.Ended)
        {
            token.ThrowIfCancellationRequested();
            if (status == PollStatus.Idle) await poller.WaitAsync(token).ConfigureAwait(false);
        }

        await poller.Completion.ConfigureAwait(false);
    }

    private static PollStatus Some(Poller<long> poller, Action<long> take)
    {
        using PolledBatch<long> batch = poller.Poll(16);
        int done = 0;
        try
        {
            foreach (long item in batch)
            {
                take(item);
                done++;
            }
        }
        catch (Exception fault)
        {
            batch.Items.Complete(done);
            batch.Fail(fault);
        }

        return batch.Status;
    }

    private static void AssertSource(string rule, Func<Pipeline<long>, IReadOnlyList<long>, CancellationToken, Task> run, TimeSpan? limit = null) =>
        Assert.Contains(rule, Assert.Throws<ContractException>(() => SourceContract.Check(run, limit)).Message, StringComparison.Ordinal);

    private static void AssertSink(string rule, Func<Poller<long>, Action<long>, CancellationToken, Task> run, TimeSpan? limit = null) =>
        Assert.Contains(rule, Assert.Throws<ContractException>(() => SinkContract.Check(run, limit)).Message, StringComparison.Ordinal);
}
