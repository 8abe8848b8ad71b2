namespace Raceway.Pipelines.Tests.Support;

internal static partial class Cases
{
    public static TheoryData<Plan> Plans => [.. Enum.GetValues<Plan>()];
}
