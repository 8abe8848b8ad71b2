using Raceway.Pipelines;

namespace RacewayBenchmark;

/// <summary>What is published.</summary>
public struct TrialOrder
{
    public long Number;
    public int Pieces;
    public long Cents;
}

/// <summary>One trial: <c>raceway tune</c> finds this class by its interface, and makes a new object for each run.</summary>
public sealed class OrderTrial : ITrial<TrialOrder>
{
    private long _next;
    private bool _inOrder = true;

    public long Cents { get; private set; }

    /// <summary>Your stages. All but the last line is the definition as an application has it.</summary>
    // Pipeline is written in full, so that a project may have that name.
    public Pipeline<TrialOrder> Build(PipelineSettings settings) => global::Raceway.Pipelines.Pipeline.Of<TrialOrder>(capacity: 4096)
        .Stage("price", static (ref TrialOrder order) => order.Cents = order.Pieces * (100 + order.Number % 900))
        .Stage("discount", static (ref TrialOrder order) => order.Cents -= order.Cents > 2_000 ? order.Cents / 50 : 0)
        .Stage("book", Book)
        .Build(settings);

    /// <summary>Item number 0, 1, 2, …</summary>
    public void Fill(ref TrialOrder slot, long number)
    {
        slot.Number = number;
        slot.Pieces = 1 + (int)(number % 7);
    }

    /// <summary>Whether all came out as it must. The tool leaves settings out that give a wrong result.</summary>
    public bool Check(long items) => _inOrder && _next == items;

    private void Book(ref TrialOrder order)
    {
        _inOrder &= order.Number == _next++;
        Cents += order.Cents;
    }
}
