func.func @f(%n: index) -> index {
  return %n : index
}
