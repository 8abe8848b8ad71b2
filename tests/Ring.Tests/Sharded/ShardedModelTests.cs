namespace Raceway.Rings.Tests;

/// <summary>A sharded ring against a list: whatever is done in whatever order, on one thread, drawn from a seed.</summary>
public sealed class ShardedModelTests
{
    private const long Lane = 1_000_000;

    private sealed class Run
    {
        private readonly Random _random;
        private readonly RingBuffer<long> _ring;
        private readonly SingleProducer<long>[] _producers;
        private readonly long[] _published;
        private readonly List<long> _order = []; // what the first stage has seen, which is attached all the time
        private readonly List<(Stage Stage, List<(long Sequence, long Item)> Seen)> _stages = [];
        private readonly int _laneCapacity;

        public Run(int seed, int lanes, int capacity)
        {
            _random = new Random(seed);
            _ring = Make.Ring(capacity, ProducerKind.Sharded, maxProducers: lanes);
            _laneCapacity = ShardedClaims.LaneCapacity(capacity, _ring.Options);
            Attach();
            Attach();
            _ring.Start();
            _producers = [.. Enumerable.Range(0, lanes).Select(_ => _ring.CreateProducer())];
            _published = new long[lanes];
        }

        public async Task Go(int turns)
        {
            for (int turn = 0; turn < turns; turn++)
            {
                switch (_random.Next(12))
                {
                    case < 4: Publish(_random.Next(_producers.Length)); break;
                    case 4: Claim(_random.Next(_producers.Length)); break;
                    case < 10: _stages[_random.Next(_stages.Count)].Stage.Step(_random.Next(1, 9)); break;
                    case 10 when _stages.Count < 5: Attach(_random.Next(2) == 0 ? _stages[0].Stage : null); break;
                    case 11 when _stages.Count > 2: await Detach(); break;
                }

                CheckRoom();
            }

            await Finish();
        }

        private void Attach(Stage? after = null)
        {
            List<(long, long)> seen = [];
            bool first = _stages.Count == 0;
            Dispatch dispatch = first ? Dispatch.Batch() : _random.Next(3) switch
            {
                0 => Dispatch.Single,
                1 => Dispatch.Each(max: 5),
                _ => Dispatch.Batch(max: 7),
            };
            StageOptions options = Make.Stepped(dispatch, after: after is null ? [] : [after]);
            Stage stage = first || _random.Next(2) == 0
                ? _ring.Subscribe(
                    new BatchLambda<long>(batch =>
                    {
                        for (int i = 0; i < batch.Count; i++) See(batch.Sequence + i, batch[i]);
                    }),
                    options)
                : _ring.Subscribe(new EventLambda<long>((ref long item, long sequence, bool _) => See(sequence, item)), options);
            _stages.Add((stage, seen));

            void See(long sequence, long item)
            {
                seen.Add((sequence, item));
                if (first) _order.Add(item);
            }
        }

        private async Task Detach()
        {
            int which = _random.Next(1, _stages.Count);
            await _ring.DetachAsync(_stages[which].Stage);
            CheckAgainstOrder(_stages[which].Seen);
            _stages.RemoveAt(which);
        }

        private void Publish(int lane)
        {
            long room = Room(lane);
            ClaimStatus status = _producers[lane].TryPublish(lane * Lane + _published[lane]);
            Assert.Equal(room > 0 ? ClaimStatus.Done : ClaimStatus.Full, status);
            if (status == ClaimStatus.Done) _published[lane]++;
        }

        private void Claim(int lane)
        {
            int count = _random.Next(1, _laneCapacity + 1);
            long room = Room(lane);
            ClaimStatus status = _producers[lane].TryClaim(count, out Claim<long> claim);
            Assert.Equal(room >= count ? ClaimStatus.Done : ClaimStatus.Full, status);
            if (status != ClaimStatus.Done) return;
            using Claim<long> owned = claim;
            for (int i = 0; i < count; i++) owned[i] = lane * Lane + _published[lane] + i;
            int kept = _random.Next(count + 1);
            owned.Commit(kept);
            _published[lane] += kept;
        }

        // What every stage has passed is free again, and nothing else.
        private long Room(int lane)
        {
            // Sequences begin at 0: the order's index is the sequence. Only stages that no other follows hold slots back.
            long passed = _stages.Min(stage => stage.Stage.Position);
            long released = 0;
            for (int i = 0; i <= passed; i++)
                if (_order[i] / Lane == lane) released++;
            return _laneCapacity - (_published[lane] - released);
        }

        private void CheckRoom()
        {
            for (int lane = 0; lane < _producers.Length; lane++) Assert.Equal(Room(lane), _producers[lane].Remaining);
            Assert.Equal(_published.Sum() - 1, _ring.Claims.ClaimedThrough);
        }

        private void CheckAgainstOrder(List<(long Sequence, long Item)> seen)
        {
            long next = seen.Count == 0 ? 0 : seen[0].Sequence;
            foreach ((long sequence, long item) in seen)
            {
                Assert.Equal(next++, sequence);
                if (sequence < _order.Count) Assert.Equal(_order[(int)sequence], item);
            }
        }

        private async Task Finish()
        {
            bool progressed = true;
            while (progressed)
            {
                progressed = false;
                foreach ((Stage stage, _) in _stages) progressed |= Make.StepAll(stage) > 0;
            }

            Assert.True((await Watchdog.Await(_ring.DrainAsync(Timeout.InfiniteTimeSpan), _ring)).IsDrained);
            Assert.Equal(_published.Sum(), _order.Count);
            for (int lane = 0; lane < _published.Length; lane++)
            {
                Assert.Equal(
                    Make.Range(lane * Lane, lane * Lane + _published[lane] - 1), _order.Where(item => item / Lane == lane));
            }

            foreach ((Stage stage, List<(long Sequence, long Item)> seen) in _stages)
            {
                CheckAgainstOrder(seen);
                Assert.Equal(_order.Count - 1, stage.Position);
                if (seen.Count > 0) Assert.Equal(_order.Count - 1, seen[^1].Sequence);
            }
        }
    }

    public static TheoryData<int, int, int> Seeds()
    {
        var data = new TheoryData<int, int, int>();
        for (int seed = 0; seed < 40; seed++)
        {
            int lanes = 1 + seed % 5;
            data.Add(seed, lanes, seed % 3 == 0 ? Math.Max(2, 2 << (lanes > 1 ? 3 : 0)) : 32);
        }

        return data;
    }

    [Theory]
    [MemberData(nameof(Seeds))]
    public Task Anything_InAnyOrder_AgreesWithTheModel(int seed, int lanes, int capacity) =>
        Watchdog.Await(new Run(seed, lanes, capacity).Go(1_500));
}
