namespace Raceway.Proof.Tests.Properties;

/// <summary>Rings whose stages are stepped, against a model of lists: whatever is done, in whatever order, on one thread.</summary>
public sealed class RingPropertyTests
{
    private sealed class Run(Scenario scenario, Trace? trace)
    {
        private readonly RingUnderTest[] _rings =
            [.. scenario.Rings.Select((setting, i) => new RingUnderTest(setting, trace is null ? null : line => trace.Add($"ring {i}: {line}")))];

        private int _at;

        public int Go()
        {
            while (Next() is { } command) Do(command);
            foreach (RingUnderTest ring in _rings) ring.Finish();
            return scenario.Commands.Length + _rings.Length;
        }

        private Command? Next() => _at < scenario.Commands.Length ? scenario.Commands[_at++] : null;

        private void Do(Command command)
        {
            int which = command.Ring % _rings.Length;
            if (command.Op != Op.Open)
            {
                _rings[which].Do(command);
                // What is done to one ring is nothing to the others.
                foreach (RingUnderTest ring in _rings) ring.Compare();
                return;
            }

            _rings[which].Open(command.A, () =>
            {
                while (Next() is { } inside)
                {
                    if (inside.Op is >= Op.OpenClaim and <= Op.OpenDispose && inside.Ring % _rings.Length == which) return inside;
                    Do(inside);
                }

                return null;
            });
        }
    }

    [Theory]
    [InlineData(ProducerKind.Single)]
    [InlineData(ProducerKind.Multi)]
    [InlineData(ProducerKind.Sharded)]
    public Task Commands_AnyOrder_AgreeWithTheModel(ProducerKind kind) =>
        Cases.Check(Cases.Count(4_000), Scenario.Of(kind), Scenario.Shrink, (one, trace) => new Run(one, trace).Go());
}
