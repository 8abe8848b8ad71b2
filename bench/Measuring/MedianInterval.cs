namespace Raceway.Measuring;

/// <summary>A median with the interval that holds it, as given by <see cref="Statistics"/>.</summary>
/// <param name="Median">The middle round.</param>
/// <param name="Low">Lower end of the interval; an aim of "at least" uses this one.</param>
/// <param name="High">Upper end of the interval.</param>
/// <param name="Min">Smallest round.</param>
/// <param name="Max">Largest round.</param>
/// <param name="Rounds">Rounds counted.</param>
/// <param name="Coverage">Chance that the interval holds the true median: at least 0.95 from six rounds on.</param>
public readonly record struct MedianInterval(
    double Median, double Low, double High, double Min, double Max, int Rounds, double Coverage);
