namespace Raceway.Pipelines;

/// <summary>What calls of a handler took with batches of one size.</summary>
/// <param name="Items">Items a batch, on average: 1 or more.</param>
/// <param name="Seconds">Seconds a call: above 0.</param>
public readonly record struct BatchTime(double Items, double Seconds);

/// <summary>A <see cref="BatchCost"/> that was found from what calls took, and how well it tells what other calls took. Immutable.</summary>
/// <remarks>
/// It has two unknowns, so few sizes are enough to find it, and it always fits those well. What it is worth shows at sizes that
/// had no part in it: it fits where it is off by 10 % in the median of these and by 30 % at the most.
/// </remarks>
/// <example>
/// <code>
/// BatchTime[] measured = [new(1, 12e-6), new(8, 20e-6), new(64, 80e-6), new(512, 580e-6)];
/// if (BatchCostFit.Of(measured) is { Fits: true } fit) Console.WriteLine($"{fit.Cost}; a good size: {fit.Cost.GoodSize}");
/// </code>
/// </example>
public sealed class BatchCostFit
{
    /// <summary>How far off it may be in the median.</summary>
    public const double MostMedianError = 0.1;

    /// <summary>How far off it may be at the most.</summary>
    public const double MostWorstError = 0.3;

    private BatchCostFit(BatchCost cost, IReadOnlyList<BatchTime> fitted, IReadOnlyList<BatchTime> judged)
    {
        (Cost, Fitted, Judged) = (cost, fitted, judged);
        double[] errors = [.. judged.Select(one => Math.Abs((cost.SecondsOf(one.Items) / one.Seconds) - 1)).Order()];
        MedianError = (errors[(errors.Length - 1) / 2] + errors[errors.Length / 2]) / 2;
        WorstError = errors[^1];
    }

    /// <summary>What was found.</summary>
    public BatchCost Cost { get; }

    /// <summary>From which calls.</summary>
    public IReadOnlyList<BatchTime> Fitted { get; }

    /// <summary>By which others it is judged.</summary>
    public IReadOnlyList<BatchTime> Judged { get; }

    /// <summary>How far off it is there in the median: 0.1 is a tenth.</summary>
    public double MedianError { get; }

    /// <summary>How far off it is there at the most.</summary>
    public double WorstError { get; }

    /// <summary>Whether it tells what calls take. Where it does not, none of its figures mean anything.</summary>
    public bool Fits => MedianError <= MostMedianError && WorstError <= MostWorstError;

    /// <summary>Finds the cost by three of some sizes, the least, the largest and the one between, and judges it by the others.</summary>
    /// <param name="measured">Four or more, in any order.</param>
    /// <param name="width">The handler's width.</param>
    /// <returns>Null where they are too few, or too much alike to tell the two prices apart.</returns>
    /// <exception cref="ArgumentException">One of them has no size or no time.</exception>
    /// <exception cref="ArgumentOutOfRangeException">The width is below 1.</exception>
    public static BatchCostFit? Of(IReadOnlyList<BatchTime> measured, int width = 1)
    {
        ArgumentNullException.ThrowIfNull(measured);
        Check(measured, nameof(measured));
        if (measured.Count < 4) return Of([], measured, width);
        BatchTime[] sorted = [.. measured.OrderBy(static one => one.Items)];
        double between = Math.Sqrt(sorted[0].Items) * Math.Sqrt(sorted[^1].Items);
        int middle = Enumerable.Range(1, sorted.Length - 2).MinBy(n => Math.Abs(Math.Log(sorted[n].Items / between)));
        return Of([sorted[0], sorted[middle], sorted[^1]], [.. sorted[1..middle], .. sorted[(middle + 1)..^1]], width);
    }

    /// <summary>Finds the cost by some sizes, and judges it by others.</summary>
    /// <remarks>
    /// The prices, neither below 0, with the least largest error. An error is a factor: a tenth counts the same in a call of a
    /// microsecond and in one of a millisecond, and too little the same as too much.
    /// </remarks>
    /// <param name="fitted">What it is found from.</param>
    /// <param name="judged">What it is judged by.</param>
    /// <param name="width">The handler's width.</param>
    /// <returns>Null where there is nothing to judge by, or all batches of <paramref name="fitted"/> make as many steps.</returns>
    /// <exception cref="ArgumentException">One of them has no size or no time.</exception>
    /// <exception cref="ArgumentOutOfRangeException">The width is below 1.</exception>
    public static BatchCostFit? Of(IReadOnlyList<BatchTime> fitted, IReadOnlyList<BatchTime> judged, int width = 1)
    {
        ArgumentNullException.ThrowIfNull(fitted);
        ArgumentNullException.ThrowIfNull(judged);
        Check(fitted, nameof(fitted));
        Check(judged, nameof(judged));
        var steps = new BatchCost(1, 1, width);
        return judged.Count > 0 && Solve([.. fitted.Select(one => (steps.StepsOf(one.Items), one.Seconds))]) is (var perCall, var perStep)
            ? new BatchCostFit(new BatchCost(perCall, perStep, width), [.. fitted], [.. judged])
            : null;
    }

    /// <summary>What a batch that is large enough gives, with the errors; or that it does not fit.</summary>
    public override string ToString()
    {
        string errors = $"off by {FigureText.Percent(MedianError)} in the median and {FigureText.Percent(WorstError)} at the most, where it was not fitted";
        return Fits ? $"{Cost.Describe(Cost.GoodSize ?? Fitted.Max(static one => one.Items))} ({Cost}; {errors})" : $"does not fit: a + b·⌈n/w⌉ is {errors}";
    }

    // With the call's part of the largest call given, the worst error is that of two sizes: of two where the larger one is off
    // upwards, which grows with that part, or of two where it is off downwards, which shrinks. The best lies where the two meet.
    private static (double PerCall, double PerStep)? Solve((double Steps, double Seconds)[] points)
    {
        if (points.Select(static one => one.Steps).Distinct().Count() < 2) return null;
        double most = points.Max(static one => one.Steps);
        double part = Grows(0) >= Shrinks(0) ? 0 : Shrinks(1) >= Grows(1) ? 1 : Between(0, 1);
        // Off by the same factor to both sides.
        double[] levels = [.. points.Select(one => Level(one, part))];
        double scale = Math.Exp((levels.Min() + levels.Max()) / 2);
        (double a, double b) = (part * scale, (1 - part) * scale / most);
        return (a > 0 || b > 0) && double.IsFinite(a) && double.IsFinite(b) ? (a, b) : null;

        double Level((double Steps, double Seconds) one, double callPart) =>
            Math.Log(one.Seconds) - Math.Log(callPart + ((1 - callPart) * one.Steps / most));

        double Grows(double callPart) => Apart(callPart, static (one, other) => one.Steps > other.Steps);

        double Shrinks(double callPart) => Apart(callPart, static (one, other) => one.Steps < other.Steps);

        double Apart(double callPart, Func<(double Steps, double Seconds), (double Steps, double Seconds), bool> are) => (
            from one in points
            from other in points
            where are(one, other)
            select Level(one, callPart) - Level(other, callPart)).Max();

        double Between(double low, double high)
        {
            for (int i = 0; i < 64; i++)
            {
                double middle = (low + high) / 2;
                if (Grows(middle) < Shrinks(middle)) low = middle;
                else high = middle;
            }

            return (low + high) / 2;
        }
    }

    private static void Check(IReadOnlyList<BatchTime> points, string name)
    {
        foreach (BatchTime one in points)
        {
            if (one is { Items: >= 1 and < double.PositiveInfinity, Seconds: > 0 and < double.PositiveInfinity }) continue;
            throw new ArgumentException(
                $"A call has at least one item and takes time: items={one.Items}, seconds={one.Seconds}. Leave out what was not measured.", name);
        }
    }
}
