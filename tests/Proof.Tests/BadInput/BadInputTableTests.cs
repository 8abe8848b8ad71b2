using System.Reflection;

namespace Raceway.Proof.Tests.BadInput;

/// <summary>
/// Every public member × the values at the edges of each of its parameters × the states of a ring: it is done, or refused by
/// an exception that is documented and says what was wrong; and the ring still works.
/// </summary>
public sealed class BadInputTableTests(ITestOutputHelper output)
{
    [Theory]
    [InlineData(RingState.Created)]
    [InlineData(RingState.Running)]
    [InlineData(RingState.Draining)]
    [InlineData(RingState.Stopped)]
    [InlineData(RingState.Faulted)]
    public async Task Call_AnyValue_IsDoneOrRefusedAsDocumented(RingState state)
    {
        List<string> wrong = [];
        int cases = 0;
        var world = new World();
        foreach (MemberInfo member in Calls.Members())
        {
            foreach ((string? name, Type? type) in Calls.Parameters(member))
            {
                int values = type is null ? 1 : Values.Of(type, world).Length;
                for (int i = 0; i < values; i++, cases++)
                {
                    var one = new BadCase(member, name, i, state);
                    try
                    {
                        output.WriteLine(await one.Run());
                    }
                    catch (Exception fault)
                    {
                        wrong.Add($"{one}: {fault.Message.Split('\n')[0]} {fault.StackTrace?.Split('\n').FirstOrDefault(line => line.Contains("Raceway.", StringComparison.Ordinal))}");
                    }
                }
            }
        }

        Assert.True(wrong.Count == 0, $"{wrong.Count} of {cases}:\n{string.Join('\n', wrong)}");
        Assert.InRange(cases, 300, int.MaxValue);
        Tally.Add(Counted.BadInputs, cases);
    }
}
