namespace Raceway.Measuring;

/// <summary>Where <see cref="Interleaver"/> is.</summary>
/// <param name="Case">The case being measured.</param>
/// <param name="Contestant">The contestant about to run.</param>
/// <param name="Phase"><c>warm-up</c>, <c>calibration</c> or <c>round 3 of 9</c>.</param>
/// <param name="Done">Steps done of this case.</param>
/// <param name="Total">Steps of this case; fewer are done where a contestant is dropped or the time is over.</param>
/// <param name="LineNanoseconds">The last line round trip, where one was measured.</param>
public readonly record struct MeasuringProgress(
    string Case, string Contestant, string Phase, int Done, int Total, double? LineNanoseconds);
