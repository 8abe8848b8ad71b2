namespace Raceway.Pipelines;

/// <summary>What a call of a handler takes, by the size of its batch: <c>a + b·⌈n/w⌉</c>. Immutable.</summary>
/// <remarks>
/// <para>A call has a price of its own (<c>a</c>: a hand-over, a sync of a disk, a round trip), and one for each step that it
/// makes over its items (<c>b</c>). A step is one item, or as many as the handler does for the price of one (<c>w</c>, see
/// <see cref="Rings.IWideHandler"/>). So larger batches bring more items a second, less with each doubling, and each item waits
/// for the whole call.</para>
/// <para>Batches that were measured have mean sizes that are no whole numbers. Between two whole sizes the cost is a straight
/// line: that of batches of both, in the shares that make the mean.</para>
/// </remarks>
public sealed record BatchCost
{
    // Of what batching can give: more is hardly seen, and costs twice the latency.
    private const double Enough = 0.95;

    /// <summary>A cost that is known. <see cref="BatchCostFit"/> finds it from what was measured.</summary>
    /// <param name="perCall">Seconds of a call, whatever its batch: 0 or more.</param>
    /// <param name="perStep">Seconds of a step: 0 or more. One of the two is above 0.</param>
    /// <param name="width">Items of a step: 1 or more.</param>
    /// <exception cref="ArgumentOutOfRangeException">One of them is not, or is no finite number.</exception>
    public BatchCost(double perCall, double perStep, int width = 1)
    {
        CheckSeconds(perCall, nameof(perCall));
        CheckSeconds(perStep, nameof(perStep));
        if (perCall == 0 && perStep == 0)
        {
            throw new ArgumentOutOfRangeException(
                nameof(perStep), perStep, $"A call takes time: perCall={perCall}, perStep={perStep}. Give at least one of them above 0.");
        }

        if (width < 1)
        {
            throw new ArgumentOutOfRangeException(
                nameof(width), width, $"A step has at least one item: width={width}. Use 1 where items are done one by one.");
        }

        (PerCall, PerStep, Width) = (perCall, perStep, width);
    }

    /// <summary>Seconds of a call, whatever its batch.</summary>
    public double PerCall { get; }

    /// <summary>Seconds of a step.</summary>
    public double PerStep { get; }

    /// <summary>Items of a step.</summary>
    public int Width { get; }

    /// <summary>
    /// A size to begin with: the fewest whole steps, a power of two of them, with 95 % of what batching can give. Null where no
    /// batch has that much, as a call costs the same whatever its batch.
    /// </summary>
    public int? GoodSize
    {
        get
        {
            double size = Width * Math.Pow(2, Math.Ceiling(Math.Log2(FirstStepWith(Enough))));
            return size <= int.MaxValue ? (int)size : null;
        }
    }

    /// <summary>Seconds of a call with a batch of so many items: how long each of them is in the handler.</summary>
    /// <param name="items">1 or more; a mean may lie between two whole sizes.</param>
    /// <exception cref="ArgumentOutOfRangeException">It is below 1, or no finite number.</exception>
    public double SecondsOf(double items) => PerCall + (PerStep * StepsOf(items));

    /// <summary>Items a second in batches of so many.</summary>
    /// <inheritdoc cref="SecondsOf"/>
    public double RateOf(double items) => items / SecondsOf(items);

    /// <summary>How much longer than a call with one item a call with so many takes: what batching adds to an item's time.</summary>
    /// <inheritdoc cref="SecondsOf"/>
    public double AddedBy(double items) => PerStep * (StepsOf(items) - 1);

    /// <summary>
    /// Items a second in batches of so many, over those in batches without end: from 0 to 1. It is 0 where a call costs the same
    /// whatever its batch, as there is no end to what larger ones bring.
    /// </summary>
    /// <inheritdoc cref="SecondsOf"/>
    public double ShareOf(double items)
    {
        double steps = StepsOf(items);
        return PerStep == 0 ? 0 : Math.Min(1, items / Width / ((PerCall / PerStep) + steps));
    }

    /// <summary>The smallest batch with a share (<see cref="ShareOf"/>) of at least so much; null where no batch has, or none that an <see cref="int"/> can count.</summary>
    /// <param name="share">Above 0, below 1.</param>
    /// <exception cref="ArgumentOutOfRangeException">It is not.</exception>
    public int? SizeWith(double share)
    {
        if (!(share is > 0 and < 1))
        {
            throw new ArgumentOutOfRangeException(
                nameof(share), share, $"A share lies above 0 and below 1: share={share}. All that batching can give no batch has; use 0.95 for nearly all.");
        }

        // The first item that has it, in the first step with a last item that has it.
        double step = FirstStepWith(share);
        double size = Math.Clamp(Math.Ceiling(share * Width * ((PerCall / PerStep) + step)), ((step - 1) * Width) + 1, step * Width);
        return size <= int.MaxValue ? (int)size : null;
    }

    /// <summary>What a batch of a size gives, and its price: <c>a batch of 64 has 97 % of what batching can give here, at +0.4 ms</c>.</summary>
    /// <inheritdoc cref="SecondsOf"/>
    public string Describe(double items)
    {
        string batch = $"a batch of {FigureText.Count((long)Math.Round(Math.Min(items, long.MaxValue / 2)))}";
        return PerStep == 0
            ? $"{batch} takes as long as one item: the larger, the better"
            : $"{batch} has {FigureText.Percent(ShareOf(items))} of what batching can give here, at +{FigureText.Time(AddedBy(items))}";
    }

    /// <summary>The two prices.</summary>
    public override string ToString() =>
        $"{FigureText.Time(PerCall)} a call and {FigureText.Time(PerStep)} {(Width == 1 ? "an item" : $"for each {Width} items")}";

    /// <summary>How many steps a call makes over so many items.</summary>
    internal double StepsOf(double items)
    {
        if (!(items >= 1) || double.IsInfinity(items))
        {
            throw new ArgumentOutOfRangeException(
                nameof(items), items, $"A batch has at least one item: items={items}. Use 1 or more.");
        }

        double whole = Math.Floor(items);
        double steps = Math.Ceiling(whole / Width);
        return steps + ((items - whole) * (Math.Ceiling((whole + 1) / Width) - steps));
    }

    private double FirstStepWith(double share) => Math.Max(1, Math.Ceiling(share * (PerCall / PerStep) / (1 - share)));

    private static void CheckSeconds(double seconds, string name)
    {
        if (!(seconds >= 0) || double.IsInfinity(seconds))
            throw new ArgumentOutOfRangeException(name, seconds, $"A price is a time, 0 or more: {name}={seconds}. Give it in seconds.");
    }
}
