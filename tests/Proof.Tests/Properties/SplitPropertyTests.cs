using System.Numerics;
using FsCheck;
using FsCheck.Fluent;

namespace Raceway.Proof.Tests.Properties;

/// <summary>
/// A handler that does all of a call or nothing, and items that fail it, alone or in company: whatever cuts the batches, the
/// good are handled once and in order, the bad are dead-lettered in order, and few calls fail to tell them apart.
/// </summary>
public sealed class SplitPropertyTests
{
    internal enum Kind
    {
        Batch,
        Map,
        Outcome,
        Async,
        Pending,
    }

    internal enum Turn
    {
        Publish,
        Abort,
        Step,
        Policy,
    }

    /// <param name="Producers">Sharded: with two lanes.</param>
    /// <param name="Kind">How the handler is called.</param>
    /// <param name="Capacity">Of the ring.</param>
    /// <param name="Retries">Before an item is dead-lettered; −1: a decider is asked, and passes over it at once.</param>
    /// <param name="Bad">Fails each call with an item whose number modulo this is 0; 0: none.</param>
    /// <param name="Pair">Fails each call with an item and the one that was published this many before it; 0: none.</param>
    /// <param name="Turns">What is done.</param>
    internal sealed record Case(
        ProducerKind Producers, Kind Kind, int Capacity, int Retries, int Bad, int Pair, (Turn Turn, int A, int B)[] Turns)
    {
        public bool IsBad(long item) => Bad > 0 && item % Bad == 0;

        public bool IsPair(long item) => Pair > 0 && item % 7 == 0;

        public override string ToString() =>
            $"{Producers}, {Kind}, capacity {Capacity}, {Retries} retries, bad {Bad}, pair {Pair}";
    }

    private sealed class ItemFault : Exception;

    [Fact]
    public Task Items_AnyOfThemBad_AreToldApart() => Cases.Check(Cases.Count(3_000), Drawn, Shrink, Run);

    private static Gen<Case> Drawn { get; } =
        from producers in Gen.Elements(Enum.GetValues<ProducerKind>())
        from kind in Gen.Elements(Enum.GetValues<Kind>())
        from shift in Gen.Choose(1, 7)
        from retries in Gen.Choose(-1, 2)
        from bad in Gen.Elements(0, 1, 2, 5, 13, 40)
        from pair in Gen.Elements(0, 1, 2, 9)
        from length in Gen.Choose(2, 80)
        from turns in Gen.Frequency(
                (8, Gen.Constant(Turn.Publish)), (1, Gen.Constant(Turn.Abort)), (10, Gen.Constant(Turn.Step)), (1, Gen.Constant(Turn.Policy)))
            .Zip(Gen.Choose(0, 99), (turn, a) => (turn, a)).Zip(Gen.Choose(0, 99), (one, b) => (one.turn, one.a, b)).ArrayOf(length)
        select new Case(producers, kind, 2 << shift, retries, bad, pair, turns);

    private static IEnumerable<Case> Shrink(Case one)
    {
        foreach ((Turn, int, int)[] fewer in Cases.Shorter(one.Turns)) yield return one with { Turns = fewer };
        if (one.Pair > 0) yield return one with { Pair = 0 };
        if (one.Bad > 0) yield return one with { Bad = 0 };
        if (one.Kind != Kind.Batch) yield return one with { Kind = Kind.Batch };
        if (one.Producers != ProducerKind.Single) yield return one with { Producers = ProducerKind.Single };
    }

    private static int Run(Case one, Trace? trace)
    {
        int lanes = one.Producers == ProducerKind.Sharded ? 2 : 1;
        RingBuffer<long> ring = Make.Ring(one.Capacity, one.Producers, maxProducers: lanes);
        var under = new UnderTest(one, trace);
        Stage stage = under.Subscribe(ring);
        Producer<long>[] producers = [.. Enumerable.Range(0, lanes).Select(_ => Make.Producer(ring))];
        long published = 0;
        foreach ((Turn turn, int a, int b) in one.Turns)
        {
            switch (turn)
            {
                case Turn.Publish:
                    for (int some = 1 + b; some > 0 && producers[a % lanes].TryPublish(published) == ClaimStatus.Done; some--) published++;
                    trace?.Add($"published to {published}");
                    break;
                case Turn.Abort when one.Producers == ProducerKind.Multi && producers[0].TryClaim(1, out Claim<long> claim) == ClaimStatus.Done:
                    claim.Abort();
                    trace?.Add("abort");
                    break;
                case Turn.Policy:
                    int min = 1 + b % Math.Max(1, one.Capacity / 2);
                    stage.Dispatch = a % 5 == 0 ? Dispatch.Each() : Dispatch.Batch(min + a, min, maxWeight: a % 3 == 0 ? 1 + b : null);
                    trace?.Add($"{stage.Dispatch}");
                    break;
                case Turn.Step:
                    Step(stage, under, a % 4 == 0 ? 1 + b : int.MaxValue, times: 1 + a % 3);
                    break;
            }
        }

        ring.Complete();
        Step(stage, under, int.MaxValue, times: int.MaxValue);
        under.Check(stage, published, lanes);
        return 1 + under.Calls;
    }

    private static void Step(Stage stage, UnderTest under, int quantum, int times)
    {
        for (; times > 0; times--)
        {
            StepKind kind = stage.Step(quantum).Kind;
            // What is pending waits for its task, and for nothing else.
            if (kind == StepKind.Pending) under.Complete();
            else if (kind != StepKind.Progressed) return;
        }
    }

    private sealed class UnderTest(Case one, Trace? trace)
    {
        private readonly List<long> _handled = [];
        private readonly List<(long Item, int Attempt)> _letters = [];
        private TaskCompletionSource? _task;
        private Exception? _fault;
        private int _failed, _largest;

        public int Calls { get; private set; }

        public Stage Subscribe(RingBuffer<long> ring)
        {
            FaultPolicy bury = FaultPolicy.DeadLetter((ref long item, in FaultContext context) => _letters.Add((item, context.Attempt)));
            StageOptions options = Make.Stepped(onFault: one.Retries switch
            {
                < 0 => FaultPolicy.Decide((ref long item, in FaultContext context) =>
                {
                    _letters.Add((item, context.Attempt));
                    return FaultAction.Skip;
                }),
                0 => bury,
                _ => FaultPolicy.Retry(one.Retries, bury),
            }) with
            {
                Weigher = Weigher.By(static (ref readonly long item) => item % 4),
            };
            return one.Kind switch
            {
                Kind.Batch => ring.Subscribe(new BatchLambda<long>(batch => Do(batch.ToArray())), options),
                Kind.Map => ring.Slots.Subscribe(new Mapping(Do), ring.AddColumn<long>(), options),
                Kind.Outcome => ring.Subscribe(
                    new OutcomeLambda<long>(batch =>
                    {
                        Do(batch.ToArray());
                        return BatchOutcome.Done;
                    }),
                    options),
                _ => ring.Subscribe(new AsyncLambda<long>((batch, _) => Later(batch.ToArray())), options),
            };
        }

        /// <summary>Completes the task of the call that is open.</summary>
        public void Complete()
        {
            TaskCompletionSource open = _task!;
            _task = null;
            if (_fault is { } fault) open.SetException(fault);
            else open.SetResult();
        }

        public void Check(Stage stage, long published, int lanes)
        {
            long[] bad = [.. Make.Range(0, published - 1).Where(one.IsBad)];
            Assert.Equal(Make.Range(0, published - 1).Except(bad), lanes == 1 ? _handled : _handled.Order());
            Assert.Equal(bad, _letters.Select(static letter => letter.Item).Order());
            if (lanes == 1) Assert.Equal(_letters.Order(), _letters);
            Assert.All(_letters, letter => Assert.Equal(Math.Max(0, one.Retries) + 1, letter.Attempt));
            StageStatistics seen = stage.GetStatistics();
            Assert.Equal((published - bad.Length, bad.Length, _failed), (seen.Items, seen.Skipped, seen.Faults));

            // Each search is for a bad item, or parts a pair: its batch fails, then halves do, then the item.
            int searches = bad.Length + (one.Pair == 0 ? 0 : (int)(published / 7) + 1);
            int halves = _largest < 2 ? 0 : BitOperations.Log2((uint)_largest - 1);
            Assert.InRange(_failed - seen.Retries, 0, searches * (2 + halves));
        }

        private ValueTask Later(long[] items)
        {
            _fault = Record.Exception(() => Do(items));
            if (one.Kind == Kind.Async) return _fault is null ? default : ValueTask.FromException(_fault);
            _task = new TaskCompletionSource();
            return new ValueTask(_task.Task);
        }

        private void Do(long[] items)
        {
            Calls++;
            _largest = Math.Max(_largest, items.Length);
            bool fails = items.Any(one.IsBad) || items.Any(item => one.IsPair(item) && items.Contains(item - one.Pair));
            trace?.Add($"call [{string.Join(',', items)}]{(fails ? " fails" : "")}");
            if (fails)
            {
                _failed++;
                throw new ItemFault();
            }

            _handled.AddRange(items);
        }
    }

    private sealed class Mapping(Action<long[]> handle) : IMapHandler<long, long>
    {
        public void OnBatch(Batch<long> source, Batch<long> results) => handle(source.ToArray());
    }
}
