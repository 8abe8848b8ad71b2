namespace Raceway.Rings;

/// <summary>Errors of a ring's life and its stages: rule, value, remedy. Out of line, so that the methods that check stay small.</summary>
internal static class RingErrors
{
    public static InvalidOperationException NotNow(string what, RingState state, string remedy) =>
        new($"{what} is not possible in this state: state={state}. {remedy}");

    public static ArgumentException ForeignStage(string name) =>
        new($"An upstream stage must belong to the same ring: stage='{name}'.", "options");

    public static ArgumentException NoUpstream() =>
        new("A stage follows stages: after=null. Leave the entry out.", "options");

    public static ArgumentException NotInRing(string name) =>
        new($"Only a stage of this ring can leave it: stage='{name}'. It has left before, or belongs to another ring.", "stage");

    public static ArgumentException DuplicateName(string name, string parameter = "options") =>
        new($"A stage's name must be unique in its ring: name='{name}'. Use another.", parameter);

    public static InvalidOperationException HasDependents(string name, string dependent) =>
        new($"A stage that others follow cannot leave: stage='{name}', followed by '{dependent}'. Detach that one first.");

    public static InvalidOperationException FeedsOthers(string name) =>
        new($"A stage that feeds a further ring cannot leave: stage='{name}'. Drain or halt the ring instead.");

    public static InvalidOperationException LastStage(string name) =>
        new($"The only stage cannot leave by its policy: stage='{name}'. No stage would handle what is published.");
}
